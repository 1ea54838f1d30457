-- Asks the agent for work: plans, executes, cancels; progress is Neovim's own.
local ask = require('greenline.client')
local attention = require('greenline.attention')
local say = require('greenline.say')
local status = require('greenline.status')
local where = require('greenline.place')
local words = require('greenline.words')

local M = {}

--- How far back a run is looked for.
local MAX_RUNS = 20

local AT_REST = { 'awaitingApproval', 'proposed', 'failed', 'cancelled', 'interrupted' }

local n_tokens = 0

---@class greenline.Place
---@field bufnr integer
---@field first? integer First line from 0, where lines are selected.
---@field last? integer The line after the last one.

---@return string
local function token()
  n_tokens = n_tokens + 1
  return ('greenline-nvim-%d-%d'):format(vim.fn.getpid(), n_tokens)
end

---@param place greenline.Place
---@return string[]
local function diagnostics(place)
  if not place.first then
    return {}
  end
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(place.bufnr)) do
    if
      diagnostic.source ~= 'greenline'
      and diagnostic.lnum >= place.first
      and diagnostic.lnum < place.last
    then
      table.insert(found, diagnostic.message)
    end
  end
  return found
end

--- Return the context of a request: the file, the lines that are selected and their diagnostics.
---@param place greenline.Place
---@return table
function M.context(place)
  if vim.bo[place.bufnr].buftype ~= '' or vim.api.nvim_buf_get_name(place.bufnr) == '' then
    return vim.empty_dict()
  end
  local context = { textDocument = { uri = vim.uri_from_bufnr(place.bufnr) } }
  if place.first then
    context.range = {
      start = { line = place.first, character = 0 },
      ['end'] = { line = place.last, character = 0 },
    }
    context.diagnostics = diagnostics(place)
  end
  return context
end

---@param result { state: string, note: string, proposal?: greenline.Proposal }
local function say_outcome(result)
  local proposal = result.proposal
  if proposal == nil or #proposal.hunks == 0 then
    if result.state ~= 'needsInput' then
      local why = result.note ~= '' and result.note or words.state(result.state)
      say.say('No change is proposed: ' .. why, vim.log.levels.WARN)
    end
    return
  end
  local key = require('greenline.keys').mapped(vim.api.nvim_get_current_buf()).next
  local go = (key or ':Agent next') .. ' goes to the first'
  say.say(
    ('%s proposed, %s; %s.'):format(words.count(#proposal.hunks, 'change'), words.verdict(proposal), go)
  )
end

--- Runs that were taken up again after the request for them had ended: nobody else tells how they end.
---@type table<string, true>
local resumed = {}

---@param client vim.lsp.Client
---@param run_id string
local function tell_resumed(client, run_id)
  ask.request(client, 'agent/run', { runId = run_id }, function(result)
    local run = result.run ---@type greenline.Run
    if not vim.list_contains(AT_REST, run.state) then
      -- It went on meanwhile.
      resumed[run_id] = true
    elseif run.state == 'awaitingApproval' and run.plan then
      require('greenline.plan').open(client.id, run.id, run.request, run.plan, true)
    elseif run.state ~= 'cancelled' then
      say_outcome({ state = run.state, note = run.note or '', proposal = run.proposal })
    end
  end)
end

--- Take a run's new state: tell how one that was taken up again came to rest.
---@param client_id integer
---@param run_id string
---@param state string
function M.run_changed(client_id, run_id, state)
  local client = vim.lsp.get_client_by_id(client_id)
  if client and resumed[run_id] and vim.list_contains(AT_REST, state) then
    resumed[run_id] = nil
    tell_resumed(client, run_id)
  end
end

---@param client vim.lsp.Client
---@param params table
---@param bufnr integer
---@param on_end? fun()
local function execute(client, params, bufnr, on_end)
  params.workDoneToken = token()
  ask.request(client, 'agent/execute', params, function(result)
    say_outcome(result)
    if on_end then
      on_end()
    end
  end, function(err)
    say.error(err)
    if on_end then
      on_end()
    end
  end, bufnr)
end

--- Carry out a request without a look at its plan.
---@param request string
---@param place greenline.Place
function M.implement(request, place)
  local client = ask.require(place.bufnr)
  if client then
    execute(client, { request = request, context = M.context(place) }, place.bufnr)
  end
end

--- Carry out a run that is planned.
---@param client vim.lsp.Client
---@param run_id string
---@param on_end fun()
function M.execute(client, run_id, on_end)
  execute(client, { runId = run_id }, vim.api.nvim_get_current_buf(), on_end)
end

--- Plan a request, and show the plan or ask what comes first.
---@param request string
---@param place greenline.Place
function M.plan(request, place)
  local params = { request = request, context = M.context(place), workDoneToken = token() }
  local since = attention.now()
  ask.from(place.bufnr, 'agent/plan', params, function(result, client)
    if result.plan then
      local is_busy = not attention.is_idle(since)
      require('greenline.plan').open(client.id, result.runId, request, result.plan, is_busy)
    else
      require('greenline.plan').expect(result.runId)
      require('greenline.question').ask(client.id, result.runId, result.questions or {})
    end
  end)
end

--- Return whether a buffer shows a file, or say that it shows none.
---@param bufnr integer
---@return boolean
function M.is_about_file(bufnr)
  local is_file = where.uri(bufnr) ~= nil
  if not is_file then
    say.say('This buffer shows no file: open one of the project first.', vim.log.levels.ERROR)
  end
  return is_file
end

--- Explain a place in a floating window.
---@param place greenline.Place
---@param range? lsp.Range
function M.explain(place, range)
  if not M.is_about_file(place.bufnr) then
    return
  end
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local here = { line = line, character = 0 }
  range = range or M.context(place).range or { start = here, ['end'] = here }
  local uri = vim.b[place.bufnr].greenline_uri or vim.uri_from_bufnr(place.bufnr)
  local params = { textDocument = { uri = uri }, range = range }
  ask.from(place.bufnr, 'agent/explain', params, function(result)
    local lines = vim.split(result.markdown, '\n', { plain = true })
    vim.lsp.util.open_floating_preview(lines, 'markdown', {
      border = 'rounded',
      focus_id = 'greenline-explain',
      max_width = 100,
      wrap = true,
    })
  end)
end

--- Find the newest run of a kind, or say that there is none.
---@param is_wanted fun(run: greenline.Run): any
---@param none string What is said then.
---@param on_run fun(client: vim.lsp.Client, run: greenline.Run)
local function with_newest(is_wanted, none, on_run)
  ask.from(nil, 'agent/runs', { limit = MAX_RUNS }, function(result, client)
    local run = vim.iter(result.runs):find(is_wanted)
    if run then
      on_run(client, run)
    else
      say.say(none)
    end
  end)
end

--- Measure anew what was accepted, with what the buffers hold.
function M.verify()
  local function is_proposed(run)
    return run.proposal ~= nil
  end
  with_newest(is_proposed, 'Nothing was proposed yet.', function(client, run)
    local params = { proposalId = run.proposal.id, workDoneToken = token() }
    say.say('The tests run; what comes of it follows.')
    ask.request(client, 'agent/verify', params, function(done)
      say.say(('Measured again: %s. %s'):format(words.verdict(done.proposal), done.proposal.evidence.detail))
    end)
  end)
end

---@param client vim.lsp.Client
---@param method string
---@param run_id string
---@param done? fun(state: string): string Returns what is said of the state that the run is in then.
local function steer(client, method, run_id, done)
  ask.request(client, method, { runId = run_id }, function(result)
    if done then
      say.say(done(result.state))
    end
  end)
end

---@param method string
---@param done? fun(state: string): string
local function steer_active(method, done)
  ask.from(nil, 'agent/status', {}, function(result, client)
    if #result.activeRuns == 0 then
      say.say('Nothing is running.')
    end
    for _, run_id in ipairs(result.activeRuns) do
      steer(client, method, run_id, done)
    end
  end)
end

--- Cancel whatever the agent is doing here.
function M.cancel()
  local client = ask.of()
  local tokens = client and status.tokens(client.id) or {}
  for _, held in ipairs(tokens) do
    client:notify('window/workDoneProgress/cancel', { token = held })
  end
  if #tokens == 0 then
    steer_active('agent/cancel')
  end
end

--- Pause the runs that are under way.
function M.pause()
  steer_active('agent/pause', function(state)
    if state == 'paused' then
      return 'The run is paused; :Agent resume goes on.'
    end
    return ('The run is still %s, and pauses before its next step; :Agent resume goes on then.'):format(
      words.state(state)
    )
  end)
end

--- Go on with the newest run that was paused, cancelled or interrupted.
function M.resume()
  local function is_stopped(run)
    return vim.list_contains({ 'paused', 'interrupted', 'cancelled' }, run.state)
  end
  with_newest(is_stopped, 'No run is paused, interrupted or cancelled.', function(client, run)
    -- The request of one that is paused still waits for its end.
    resumed[run.id] = run.state ~= 'paused' or nil
    steer(client, 'agent/resume', run.id, function(state)
      return ('The run goes on: %s.'):format(words.state(state))
    end)
  end)
end

return M
