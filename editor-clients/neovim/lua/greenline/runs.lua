-- Lists the runs, and shows one as a document.
local ask = require('greenline.client')
local evidence = require('greenline.evidence')
local say = require('greenline.say')
local words = require('greenline.words')

local M = {}

local PAGE = 50
local OLDER = 'Older runs …'

---@param event greenline.Event
---@return string
local function event_line(event)
  local data = event.data
  local text = data.text or data.name or data.state or data.detail or data.decision or data.message or ''
  return ('- %4d %s %s'):format(event.seq, event.kind, (tostring(text):gsub('%s+', ' ')):sub(1, 160))
end

--- Return a run as the lines of a Markdown document.
---@param run greenline.Run
---@param events greenline.Event[]
---@return string[]
function M.lines(run, events)
  local lines = {
    '# ' .. run.request:gsub('%s+', ' '),
    '',
    ('%s, %s, begun %s'):format(run.id, words.state(run.state), os.date('%Y-%m-%d %H:%M:%S', run.created)),
  }
  if run.note and run.note ~= '' then
    table.insert(lines, (run.note:gsub('%s+', ' ')))
  end
  if run.plan then
    vim.list_extend(lines, { '', '## Plan' })
    for _, entry in ipairs(run.plan.entries) do
      table.insert(lines, ('%d. %s (%s)'):format(entry.number, (entry.intent:gsub('%s+', ' ')), entry.status))
    end
  end
  if run.proposal then
    vim.list_extend(lines, { '', '## Evidence', '```' })
    vim.list_extend(lines, evidence.lines(run.proposal))
    vim.list_extend(lines, { '```', '', '## Changes' })
    for _, hunk in ipairs(run.proposal.hunks) do
      local comment = hunk.comment and hunk.comment ~= '' and (' — ' .. hunk.comment) or ''
      table.insert(
        lines,
        ('- %s:%d %s%s'):format(words.file(hunk.uri), hunk.range.start.line + 1, hunk.state, comment)
      )
    end
  end
  vim.list_extend(lines, { '', '## Events' })
  vim.list_extend(lines, vim.tbl_map(event_line, events))
  return lines
end

--- Show text in a read-only buffer of its own.
---@param name string
---@param lines string[]
function M.show(name, lines)
  local bufnr = vim.fn.bufnr('^' .. vim.fn.escape(name, '\\.*$^~[]') .. '$')
  if bufnr == -1 then
    bufnr = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(bufnr, name)
  end
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = 'markdown'
  vim.cmd('botright split')
  vim.api.nvim_win_set_buf(0, bufnr)
end

---@param client vim.lsp.Client
---@param run_id string
local function show_run(client, run_id)
  ask.request(client, 'agent/run', { runId = run_id }, function(result)
    local run = result.run ---@type greenline.Run
    if run.state == 'awaitingApproval' and run.plan then
      require('greenline.plan').open(client.id, run.id, run.request, run.plan)
      return
    end
    M.show('greenline://run/' .. run.id, M.lines(run, result.events or {}))
  end)
end

--- Let the user choose one of a page of runs, and show it.
---@param client vim.lsp.Client
---@param before? number Runs that began before this time.
local function choose(client, before)
  ask.request(client, 'agent/runs', { limit = PAGE, before = before }, function(result)
    local items = result.runs ---@type (greenline.Run|string)[]
    if #items == 0 then
      say.say(before and 'There is no older run.' or 'There is no run yet.')
      return
    end
    local oldest = items[#items].created
    if #items == PAGE then
      table.insert(items, OLDER)
    end
    vim.ui.select(items, {
      prompt = before and 'Older runs, the newest first' or 'Runs, the newest first',
      kind = 'greenline',
      format_item = function(run)
        if run == OLDER then
          return OLDER
        end
        local request = run.request:gsub('%s+', ' ')
        return ('%s  %-14s %s'):format(os.date('%m-%d %H:%M', run.created), words.state(run.state), request)
      end,
    }, function(run)
      if run == OLDER then
        choose(client, oldest)
      elseif run then
        show_run(client, run.id)
      end
    end)
  end)
end

--- Let the user choose a run, and show it.
function M.choose()
  local client = ask.require()
  if client then
    choose(client)
  end
end

--- Show everything that was said in this session.
function M.log()
  local lines = vim.tbl_map(function(item)
    return ('%s %s'):format(os.date('%H:%M:%S', item.time), (item.text:gsub('%s+', ' ')))
  end, say.history)
  M.show('greenline://log', #lines > 0 and lines or { 'Nothing was said yet.' })
end

return M
