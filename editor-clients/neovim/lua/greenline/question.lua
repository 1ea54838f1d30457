-- Asks what only the user can answer, by `vim.ui`. Invariant: no prompt opens before the user asks for it, since
-- keys that were meant for a text would answer it.
local ask = require('greenline.client')
local say = require('greenline.say')

local M = {}

---@type table<string, true>
local asked = {}

---@class greenline.OpenQuestion
---@field client_id integer
---@field run_id string
---@field question greenline.Question

--- Questions that wait for an answer, the oldest first.
---@type greenline.OpenQuestion[]
local open = {}

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

--- Keep a question that was closed, and say how to come back to it.
---@param client vim.lsp.Client
---@param run_id string
---@param question greenline.Question
local function keep(client, run_id, question)
  table.insert(open, { client_id = client.id, run_id = run_id, question = question })
  say.say(('The agent waits for an answer: %s  :Agent answer asks again.'):format(question.text))
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
      else
        keep(client, run_id, question)
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
    else
      keep(client, run_id, question)
    end
    on_done()
  end)
end

--- Ask questions one after the other.
---@param questions greenline.OpenQuestion[]
local function ask_all(questions)
  local function go_on()
    local item = table.remove(questions, 1)
    if item == nil then
      return
    end
    local client = vim.lsp.get_client_by_id(item.client_id)
    if client then
      ask_one(client, item.run_id, item.question, go_on)
    else
      go_on()
    end
  end
  -- A prompt must not open inside of a handler of the channel that its answer goes to.
  vim.schedule(go_on)
end

--- Say that a question waits.
---@param item greenline.OpenQuestion
local function announce(item)
  local what = item.question.kind == 'permission' and 'asks for permission' or 'asks'
  say.say(('The agent %s (:Agent answer): %s'):format(what, item.question.text))
end

--- Say it again once a mode ends that shows messages only for a moment.
---@param item greenline.OpenQuestion
local function announce_later(item)
  vim.api.nvim_create_autocmd('ModeChanged', {
    pattern = '*:n',
    once = true,
    desc = 'Say that a question waits',
    -- Neovim clears the line after this event.
    callback = vim.schedule_wrap(function()
      if vim.list_contains(open, item) then
        announce(item)
      end
    end),
  })
end

--- Tell of questions of a run, each once; they wait until the user asks for them.
---@param client_id integer
---@param run_id string
---@param questions greenline.Question[]
function M.ask(client_id, run_id, questions)
  for _, question in ipairs(questions) do
    if not asked[question.id] then
      asked[question.id] = true
      local item = { client_id = client_id, run_id = run_id, question = question }
      table.insert(open, item)
      announce(item)
      if vim.api.nvim_get_mode().mode ~= 'n' then
        announce_later(item)
      end
    end
  end
  require('greenline.status').redraw()
end

--- Ask what waits for an answer.
function M.again()
  if #open == 0 then
    say.say('No question waits for an answer.')
    return
  end
  local waiting = open
  open = {}
  ask_all(waiting)
end

--- Return the questions that wait for an answer.
---@param client_id integer
---@return string[]
function M.waiting(client_id)
  local texts = {}
  for _, item in ipairs(open) do
    if item.client_id == client_id then
      table.insert(texts, (item.question.text:gsub('%s+', ' ')))
    end
  end
  return texts
end

--- Forget a question that was answered, here or by another client.
---@param question_id string
function M.answered(question_id)
  open = vim.tbl_filter(function(item)
    return item.question.id ~= question_id
  end, open)
end

--- Forget the questions of a run that asks nothing any more.
---@param run_id string
---@param state string
function M.run_changed(run_id, state)
  if state ~= 'needsInput' and state ~= 'planning' then
    open = vim.tbl_filter(function(item)
      return item.run_id ~= run_id
    end, open)
  end
end

--- Forget the questions of a server that has ended.
---@param client_id integer
function M.forget(client_id)
  open = vim.tbl_filter(function(item)
    return item.client_id ~= client_id
  end, open)
end

return M
