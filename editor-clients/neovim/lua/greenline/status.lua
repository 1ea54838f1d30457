-- What the servers say of themselves: a line for the status line, a window, and each problem once in words.
local ask = require('greenline.client')
local say = require('greenline.say')
local words = require('greenline.words')

local M = {}

---@type table<integer, greenline.Status>
local known = {}

--- Client → run → its state.
---@type table<integer, table<string, string>>
local runs = {}

--- Client → token → the last words of its progress.
---@type table<integer, table<string|integer, string>>
local working = {}

local REST =
  { accepted = 1, partlyAccepted = 1, rejected = 1, failed = 1, cancelled = 1, proposed = 1, interrupted = 1 }

--- Draw the status lines again.
function M.redraw()
  vim.schedule(function()
    vim.cmd.redrawstatus({ bang = true })
  end)
end

---@param client_id integer
---@param topic string
---@param health greenline.Health?
local function check(client_id, topic, health)
  if health == nil then
    return
  end
  local text = not health.available and vim.trim(('%s %s'):format(health.problem, health.remedy)) or nil
  say.once(('%d %s'):format(client_id, topic), text)
end

--- Take a status that a server sent.
---@param client_id integer
---@param status greenline.Status
function M.changed(client_id, status)
  known[client_id] = status
  check(client_id, 'sandbox', status.agent.sandbox)
  say.once(('%d index'):format(client_id), status.index.state == 'failed' and status.index.note or nil)
  M.redraw()
end

--- Take the new state of a run.
---@param client_id integer
---@param run_id string
---@param state string
function M.run_changed(client_id, run_id, state)
  runs[client_id] = runs[client_id] or {}
  runs[client_id][run_id] = not REST[state] and state or nil
  M.redraw()
end

--- Take a progress message.
---@param client_id integer
---@param params lsp.ProgressParams
function M.progress(client_id, params)
  local client = vim.lsp.get_client_by_id(client_id)
  local value = params.value
  if client == nil or client.name ~= 'greenline' or type(value) ~= 'table' then
    return
  end
  working[client_id] = working[client_id] or {}
  working[client_id][params.token] = value.kind ~= 'end' and (value.message or value.title) or nil
  M.redraw()
end

--- Forget a server that has ended.
---@param client_id integer
function M.forget(client_id)
  known[client_id], runs[client_id], working[client_id] = nil, nil, nil
  say.once(('%d sandbox'):format(client_id), nil)
  M.redraw()
end

--- Return what is most worth knowing: work under way, then what waits for the user.
---@param client_id integer
---@return string
local function state_of(client_id)
  if #require('greenline.question').waiting(client_id) > 0 then
    return 'a question waits (:Agent answer)'
  end
  local is_waiting = false
  for _, state in pairs(runs[client_id] or {}) do
    if state ~= 'awaitingApproval' then
      return words.state(state)
    end
    is_waiting = true
  end
  local n_pending = #require('greenline.proposal').waiting({ client_id = client_id })
  if n_pending > 0 then
    return words.count(n_pending, 'pending change')
  end
  return is_waiting and words.state('awaitingApproval') or 'ready'
end

--- Return one line for the status line: state, spend, index and engine.
---@param bufnr? integer
---@return string
function M.line(bufnr)
  local client = ask.of(bufnr)
  if client == nil then
    return ''
  end
  local status = known[client.id]
  if status == nil then
    return 'Greenline: starting'
  end
  local parts = { state_of(client.id) }
  local agent = status.agent
  if agent.spentUsd > 0 or agent.capUsd then
    table.insert(
      parts,
      agent.capUsd and ('$%.2f/$%.2f'):format(agent.spentUsd, agent.capUsd)
        or ('$%.2f'):format(agent.spentUsd)
    )
  end
  if status.index.state ~= 'off' then
    -- A percent sign would be read as an item of the status line.
    table.insert(
      parts,
      status.index.state == 'failed' and 'no index'
        or ('index %d%%%%'):format(math.floor(status.index.completeness * 100))
    )
  end
  if agent.sandbox and not agent.sandbox.available then
    table.insert(parts, 'no sandbox')
  elseif agent.worker == 'dead' then
    table.insert(parts, 'no worker')
  end
  return 'Greenline: ' .. table.concat(parts, ' · ')
end

--- Return the token of a piece of work that can be cancelled.
---@param client_id integer
---@return (string|integer)[]
function M.tokens(client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  local found = {}
  for token in pairs(working[client_id] or {}) do
    local title = client and client.progress.pending[token]
    if title ~= 'Greenline: indexing' then
      table.insert(found, token)
    end
  end
  return found
end

---@param label string
---@param health greenline.Health?
---@param unknown string
---@return string
local function health_line(label, health, unknown)
  if health == nil then
    return ('%-9s %s'):format(label, unknown)
  end
  local text = health.available and health.name or ('%s %s'):format(health.problem, health.remedy)
  return ('%-9s %s'):format(label, (text:gsub('%s+', ' ')))
end

--- Return a status as lines of text.
---@param status greenline.Status
---@return string[]
function M.lines(status)
  local agent, index = status.agent, status.index
  local cap = agent.capUsd and (' of $%.2f'):format(agent.capUsd) or ''
  local lines = {
    'Server    ' .. status.version,
    'Folders   ' .. table.concat(vim.tbl_map(words.file, status.roots), ', '),
    'Worker    ' .. agent.worker,
    health_line('Sandbox', agent.sandbox, 'not looked at yet'),
    health_line('Model', agent.model, 'not looked at yet'),
    ('Spent     $%.2f%s'):format(agent.spentUsd, cap),
    ('Index     %s, %d%%, %s'):format(
      index.state,
      index.completeness * 100,
      words.count(index.nFiles, 'file')
    ),
    ('Runs      %d active'):format(#status.activeRuns),
    'Pending   ' .. words.count(status.pendingHunks, 'change'),
  }
  if index.note ~= '' then
    table.insert(lines, 8, '          ' .. index.note)
  end
  return lines
end

--- Show the status in a floating window.
function M.open()
  ask.from(nil, 'agent/status', {}, function(status, client)
    M.changed(client.id, status)
    local lines = M.lines(status)
    for _, text in ipairs(require('greenline.question').waiting(client.id)) do
      table.insert(lines, ('Question  %s  (:Agent answer)'):format(text))
    end
    vim.lsp.util.open_floating_preview(lines, 'text', {
      border = 'rounded',
      title = ' Greenline ',
      focus_id = 'greenline-status',
      max_width = 100,
      wrap = true,
    })
  end)
end

return M
