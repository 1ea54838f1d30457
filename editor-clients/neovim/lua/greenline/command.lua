-- `:Agent`: its subcommands and their completion.
local say = require('greenline.say')

local M = {}

local SCOPES = { 'all', 'file', 'hunk' }

---@class greenline.Call
---@field words string Everything after the subcommand.
---@field place greenline.Place

---@param prompt string
---@param given string
---@param on_text fun(text: string)
local function with_text(prompt, given, on_text)
  if given ~= '' then
    on_text(given)
    return
  end
  vim.ui.input({ prompt = prompt }, function(text)
    if text and vim.trim(text) ~= '' then
      on_text(vim.trim(text))
    end
  end)
end

---@param call greenline.Call
---@return string?
local function problem_here(call)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local first, last = call.place.first or row, call.place.last or row + 1
  for _, diagnostic in ipairs(vim.diagnostic.get(call.place.bufnr)) do
    if diagnostic.source ~= 'greenline' and diagnostic.lnum >= first and diagnostic.lnum < last then
      call.place.first, call.place.last = first, last
      return 'Fix this problem: ' .. diagnostic.message
    end
  end
end

---@param decision 'accept'|'reject'
---@return fun(call: greenline.Call)
local function decide(decision)
  return function(call)
    local scope, comment = call.words:match('^(%S*)%s*(.*)$')
    if scope == '' then
      scope = 'hunk'
    end
    if not vim.list_contains(SCOPES, scope) then
      say.say((':Agent %s takes all, file or hunk, not %q.'):format(decision, scope), vim.log.levels.ERROR)
      return
    end
    require('greenline.review').decide(decision, scope, comment)
  end
end

---@type table<string, fun(call: greenline.Call)>
local subcommands = {
  implement = function(call)
    with_text('Implement: ', call.words, function(text)
      require('greenline.job').implement(text, call.place)
    end)
  end,
  plan = function(call)
    with_text('Plan: ', call.words, function(text)
      require('greenline.job').plan(text, call.place)
    end)
  end,
  fix = function(call)
    local request = call.words ~= '' and call.words or problem_here(call) or 'Make the failing tests pass.'
    require('greenline.job').implement(request, call.place)
  end,
  tests = function(call)
    if not require('greenline.job').is_about_file(call.place.bufnr) then
      return
    end
    if not call.place.first then
      local row = vim.api.nvim_win_get_cursor(0)[1] - 1
      call.place.first, call.place.last = row, row + 1
    end
    local request = call.words ~= '' and call.words or 'Write tests for the selected code.'
    require('greenline.job').implement(request, call.place)
  end,
  explain = function(call)
    require('greenline.job').explain(call.place)
  end,
  answer = function()
    require('greenline.question').again()
  end,
  review = function()
    require('greenline.review').list()
  end,
  accept = decide('accept'),
  reject = decide('reject'),
  next = function()
    require('greenline.move').step(1)
  end,
  prev = function()
    require('greenline.move').step(-1)
  end,
  evidence = function()
    require('greenline.evidence').open()
  end,
  verify = function()
    require('greenline.job').verify()
  end,
  undo = function()
    require('greenline.review').undo()
  end,
  cancel = function()
    require('greenline.job').cancel()
  end,
  pause = function()
    require('greenline.job').pause()
  end,
  resume = function()
    require('greenline.job').resume()
  end,
  status = function()
    require('greenline.status').open()
  end,
  runs = function()
    require('greenline.runs').choose()
  end,
  log = function()
    require('greenline.runs').log()
  end,
  doctor = function()
    vim.cmd.checkhealth('greenline')
  end,
  restart = function()
    require('greenline.server').restart()
  end,
}

--- Run `:Agent`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  local name, rest = vim.trim(opts.args):match('^(%S*)%s*(.*)$')
  local subcommand = subcommands[name]
  if subcommand == nil then
    local known = table.concat(vim.fn.sort(vim.tbl_keys(subcommands)), ', ')
    local what = name == '' and ':Agent needs a subcommand' or (':Agent has no subcommand %q'):format(name)
    say.say(('%s: %s.'):format(what, known), vim.log.levels.ERROR)
    return
  end
  local place = { bufnr = vim.api.nvim_get_current_buf() }
  if opts.range > 0 then
    place.first, place.last = opts.line1 - 1, opts.line2
  end
  subcommand({ words = rest, place = place })
end

--- Complete `:Agent`.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local before = line:match('Agent%s+(.*)$') or ''
  local given = before:match('^(%S+)%s')
  local choices = {}
  if given == nil then
    choices = vim.fn.sort(vim.tbl_keys(subcommands))
  elseif (given == 'accept' or given == 'reject') and not before:match('^%S+%s+%S+%s') then
    choices = SCOPES
  end
  return vim.tbl_filter(function(choice)
    return vim.startswith(choice, lead)
  end, choices)
end

return M
