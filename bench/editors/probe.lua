-- Measures what a person at this Neovim waits for, and keeps the agent at work meanwhile.
-- What comes of each request is a line of JSON in the file that $GREENLINE_BENCH_SAID names.
local M = {}

local REQUEST = 'make the failing tests pass'
local PAUSE_MS = 50
local LIMIT_MS = 30000

M.n_runs = 0

---@param value table<string, any>
local function say(value)
  local file = assert(io.open(vim.env.GREENLINE_BENCH_SAID, 'a'))
  file:write(vim.json.encode(value) .. '\n')
  file:close()
end

---@return vim.lsp.Client?
local function client_here()
  local client = vim.lsp.get_clients({ name = 'greenline', bufnr = 0 })[1]
  return client and client.initialized and client or nil
end

--- Call `act` once a condition holds.
---@param what string
---@param holds fun(): any
---@param act fun(value: any)
local function when(what, holds, act)
  local begun = vim.uv.now()
  local function look()
    local value = holds()
    if value then
      act(value)
    elseif vim.uv.now() - begun > 20 * LIMIT_MS then
      say({ failed = 'waited in vain for ' .. what })
    else
      vim.defer_fn(look, 20)
    end
  end
  look()
end

---@param line integer From 1.
local function go_to(line)
  vim.api.nvim_win_set_cursor(0, { line, 8 })
end

--- Have the fault of the sample repaired, and put the cursor on the change.
function M.begin()
  when('the server', client_here, function(client)
    client:request('agent/execute', { request = REQUEST }, function(err, result)
      local proposal = result and result.proposal
      if err or not proposal or proposal.evidence.verdict ~= 'verified' then
        say({ failed = 'the sample was not repaired: ' .. vim.inspect(err or result) })
        return
      end
      M.line = proposal.hunks[1].range.start.line + 1
      go_to(M.line)
      say({ ready = true })
    end)
  end)
end

--- Say when this client follows the buffer and draws what waits in it.
function M.wait_drawn()
  when('the change to be drawn', function()
    return client_here() and #require('greenline.proposal').waiting() > 0
  end, function()
    go_to(require('greenline.proposal').waiting()[1].hunk.range.start.line + 1)
    say({ ready = true })
  end)
end

local function close_floats()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      vim.api.nvim_win_close(window, true)
    end
  end
end

---@return string
local function floating_text()
  local texts = {}
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      vim.list_extend(texts, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false))
    end
  end
  return table.concat(texts, '\n')
end

--- Ask for the hover as `K` does; `done` gets the milliseconds until its window, or why there is none.
---@param done fun(ms: number?, failure: string?)
local function hover(done)
  local begun = vim.uv.hrtime()
  local is_over = false
  local limit = assert(vim.uv.new_timer())
  local autocmd
  local function finish(ms, failure)
    if not is_over then
      is_over = true
      limit:close()
      vim.api.nvim_del_autocmd(autocmd)
      close_floats()
      done(ms, failure)
    end
  end
  autocmd = vim.api.nvim_create_autocmd('WinNew', {
    callback = function()
      local ms = (vim.uv.hrtime() - begun) / 1e6
      vim.schedule(function()
        -- The window gets its buffer after this event.
        local text = floating_text()
        local is_right = text:find('verified', 1, true) and text:find('+        if quantity >= pieces:', 1, true)
        finish(ms, not is_right and 'the hover is another: ' .. text or nil)
      end)
    end,
  })
  limit:start(LIMIT_MS, 0, vim.schedule_wrap(function()
    finish(nil, 'no hover came')
  end))
  vim.lsp.buf.hover({ silent = true })
end

--- Ask for the code actions as `gra` does; `done` gets the milliseconds until they are to be chosen from.
---@param done fun(ms: number?, failure: string?)
local function action(done)
  local begun = vim.uv.hrtime()
  local is_over = false
  local limit = assert(vim.uv.new_timer())
  local function finish(ms, failure)
    if not is_over then
      is_over = true
      limit:close()
      done(ms, failure)
    end
  end
  limit:start(LIMIT_MS, 0, vim.schedule_wrap(function()
    finish(nil, 'no code action came')
  end))
  vim.ui.select = function(items, _, on_choice)
    local ms = (vim.uv.hrtime() - begun) / 1e6
    local titles = vim.tbl_map(function(item)
      return (item.action or item).title
    end, items)
    on_choice(nil)
    local is_right = vim.list_contains(titles, 'Agent: accept') and vim.list_contains(titles, 'Agent: reject')
    finish(ms, not is_right and 'the code actions are others: ' .. vim.inspect(titles) or nil)
  end
  vim.lsp.buf.code_action()
end

--- Ask for hovers and code actions in turn, `n` of each, and say what each took.
---@param n integer
function M.sample(n)
  local times = { hover = {}, action = {} }
  local kinds = { { 'hover', hover }, { 'action', action } }
  local function step(number)
    if number > 2 * n then
      say({ times = times, n_runs = M.n_runs })
      return
    end
    local name, ask = unpack(kinds[number % 2 + 1])
    ask(function(ms, failure)
      if failure then
        say({ failed = failure })
        return
      end
      table.insert(times[name], ms)
      vim.defer_fn(function()
        step(number + 1)
      end, PAUSE_MS)
    end)
  end
  step(1)
end

--- Keep a run of the agent under way until `rest`: begun again when it ends, and its own proposal put away.
--- What was rejected is not proposed again, so later runs search to the end and find nothing.
function M.work()
  local client = assert(client_here())
  local n_proposals = 0
  M.is_working = true
  local function begin()
    client:request('agent/execute', { request = REQUEST }, function(err, result)
      if not M.is_working then
        return
      end
      local is_empty = err or not result.proposal
      if err or (is_empty and n_proposals == 0) then
        say({ failed = 'a run under load proposed nothing: ' .. vim.inspect(err or result.note) })
        return
      end
      M.n_runs = M.n_runs + 1
      if is_empty then
        begin()
        return
      end
      n_proposals = n_proposals + 1
      local all = { { proposalId = result.proposal.id } }
      local params = { command = 'greenline.server.rejectAll', arguments = all }
      client:request('workspace/executeCommand', params, begin)
    end)
  end
  begin()
end

--- End the work, and say how many runs ended meanwhile.
function M.rest()
  M.is_working = false
  local client = assert(client_here())
  client:request('agent/status', vim.empty_dict(), function(_, status)
    for _, run in ipairs(status and status.activeRuns or {}) do
      client:request('agent/cancel', { runId = run }, function() end)
    end
    say({ ready = true })
  end)
end

return M
