-- Asks what only the user can answer, by `vim.ui`; each question once.
local ask = require('greenline.client')

local M = {}

---@type table<string, true>
local asked = {}

---@type { label: string, decision: string }[]
local PERMISSION = {
  { label = 'Allow once', decision = 'allowOnce' },
  { label = 'Always allow', decision = 'allowAlways' },
  { label = 'Reject once', decision = 'rejectOnce' },
  { label = 'Always reject', decision = 'rejectAlways' },
}

---@param client vim.lsp.Client
---@param run_id string
---@param question greenline.Question
---@param decision string
local function answer(client, run_id, question, decision)
  ask.request(client, 'agent/respond', {
    runId = run_id,
    checkpointId = question.id,
    decision = decision,
  })
end

---@param client vim.lsp.Client
---@param run_id string
---@param question greenline.Question
---@param on_done fun()
local function ask_one(client, run_id, question, on_done)
  local is_permission = question.kind == 'permission'
  if not is_permission and #(question.options or {}) == 0 then
    vim.ui.input({ prompt = question.text .. ' ' }, function(text)
      if text and text ~= '' then
        answer(client, run_id, question, text)
      end
      on_done()
    end)
    return
  end
  local items = is_permission and PERMISSION
    or vim.tbl_map(function(option)
      return { label = option, decision = option }
    end, question.options)
  vim.ui.select(items, {
    prompt = question.text,
    kind = 'greenline',
    format_item = function(item)
      return item.label
    end,
  }, function(item)
    if item then
      answer(client, run_id, question, item.decision)
    elseif is_permission then
      answer(client, run_id, question, 'rejectOnce')
    end
    on_done()
  end)
end

--- Ask questions of a run, one after the other.
---@param client_id integer
---@param run_id string
---@param questions greenline.Question[]
function M.ask(client_id, run_id, questions)
  local client = vim.lsp.get_client_by_id(client_id)
  local open = vim.tbl_filter(function(question)
    return not asked[question.id]
  end, questions)
  for _, question in ipairs(open) do
    asked[question.id] = true
  end
  local function go_on()
    local question = table.remove(open, 1)
    if client and question then
      ask_one(client, run_id, question, go_on)
    end
  end
  -- A prompt must not open inside of a handler of the channel that its answer goes to.
  vim.schedule(go_on)
end

return M
