-- A plan as a Markdown buffer: it is edited like any text, and written to approve it.
local ask = require('greenline.client')
local attention = require('greenline.attention')
local say = require('greenline.say')

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('greenline.plan')

---@class greenline.OpenPlan
---@field client_id integer
---@field run_id string
---@field request string
---@field plan greenline.Plan
---@field is_running boolean

---@type table<string, integer>
local buffers = {}
---@type table<integer, greenline.OpenPlan>
local open = {}
--- Runs whose questions were asked here, so that their plan is to be shown when it is made.
---@type table<string, greenline.Attention>
local expected = {}

local MARKS = { pending = '', inProgress = 'under way', completed = 'done', failed = 'failed' }

---@param text string
---@return string
local function flat(text)
  return (text:gsub('%s+', ' '))
end

--- Return a plan as the lines of its buffer.
---@param request string
---@param plan greenline.Plan
---@return string[]
function M.render(request, plan)
  local by = plan.engine == 'repair' and 'by the repair engine' or 'by the model'
  local score = plan.score and (', the critic gives it %d of 10'):format(plan.score) or ''
  local lines = {
    '# Plan: ' .. flat(request),
    '',
    ('> Version %d, %s%s. `:w` approves it as it stands here; edit, add or delete steps first.'):format(
      plan.version,
      by,
      score
    ),
    '> `:q!` leaves it unapproved; `:Agent cancel` stops it once it is under way.',
  }
  if plan.risk and plan.risk ~= '' then
    table.insert(lines, '> Risk: ' .. flat(plan.risk))
  end
  for _, remark in ipairs(plan.remarks or {}) do
    table.insert(lines, '> The critic: ' .. flat(remark))
  end
  for _, entry in ipairs(plan.entries) do
    vim.list_extend(lines, { '', ('## %d. %s'):format(entry.number, flat(entry.intent)) })
    for _, file in ipairs(entry.files or {}) do
      table.insert(lines, '- file: ' .. file)
    end
    for _, check in ipairs(entry.checks or {}) do
      table.insert(lines, '- check: ' .. check)
    end
  end
  return lines
end

---@param line string
---@param entry greenline.PlanEntry
local function read_detail(line, entry)
  local kind, text = line:match('^%s*[-*]%s*(%a+)%s*:%s*(.-)%s*$')
  kind = kind and kind:lower()
  if text and text ~= '' and (kind == 'file' or kind == 'check') then
    table.insert(kind == 'file' and entry.files or entry.checks, text)
  elseif vim.trim(line) ~= '' then
    entry.intent = entry.intent .. ' ' .. vim.trim((line:gsub('^%s*[-*]%s+', '')))
  end
end

--- Read the steps from the lines of a buffer; other words under a step belong to its intent.
---@param lines string[]
---@return greenline.PlanEntry[]
function M.parse(lines)
  local entries = {}
  local entry ---@type greenline.PlanEntry?
  for _, line in ipairs(lines) do
    local heading = line:match('^##%s+(.-)%s*$')
    if heading then
      local intent = heading:gsub('^%d+[.)]%s*', '')
      entry = { number = #entries + 1, intent = intent, files = {}, checks = {}, status = 'pending' }
      table.insert(entries, entry)
    elseif entry and not line:match('^>') then
      read_detail(line, entry)
    end
  end
  return vim.tbl_filter(function(made)
    return made.intent ~= ''
  end, entries)
end

---@param one greenline.PlanEntry[]
---@param other greenline.PlanEntry[]
---@return boolean
local function same(one, other)
  local function bare(entries)
    return vim.tbl_map(function(entry)
      return { flat(entry.intent), entry.files or {}, entry.checks or {} }
    end, entries)
  end
  return vim.deep_equal(bare(one), bare(other))
end

---@param bufnr integer
---@param held greenline.OpenPlan
local function fill(bufnr, held)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, M.render(held.request, held.plan))
  vim.bo[bufnr].modified = false
end

---@param bufnr integer
---@param held greenline.OpenPlan
local function mark(bufnr, held)
  vim.api.nvim_buf_clear_namespace(bufnr, NAMESPACE, 0, -1)
  local n = 0
  for row, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)) do
    if line:match('^##%s') then
      n = n + 1
      local entry = held.plan.entries[n]
      local text = entry and MARKS[entry.status] or ''
      if text ~= '' then
        local group = entry.status == 'failed' and 'DiagnosticError' or 'DiagnosticOk'
        vim.api.nvim_buf_set_extmark(bufnr, NAMESPACE, row - 1, 0, { virt_text = { { text, group } } })
      end
    end
  end
end

---@param bufnr integer
---@param held greenline.OpenPlan
---@param client vim.lsp.Client
local function carry_out(bufnr, held, client)
  held.is_running = true
  require('greenline.job').execute(client, held.run_id, function()
    held.is_running = false
    if vim.api.nvim_buf_is_valid(bufnr) then
      mark(bufnr, held)
    end
  end)
end

---@param bufnr integer
local function write(bufnr)
  local held = open[bufnr]
  local client = vim.lsp.get_client_by_id(held.client_id)
  if client == nil then
    say.say('The server that made this plan has ended; ask for the plan again.', vim.log.levels.ERROR)
    return
  end
  if held.is_running then
    say.say('This plan is being carried out already; :Agent cancel stops it.', vim.log.levels.WARN)
    return
  end
  local entries = M.parse(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false))
  if #entries == 0 then
    say.say('The plan has no step left: a step is a line that begins with "## ".', vim.log.levels.ERROR)
    return
  end
  vim.bo[bufnr].modified = false
  if same(entries, held.plan.entries) then
    carry_out(bufnr, held, client)
    return
  end
  -- A second `:w` before the answer must not send and carry out the plan twice.
  held.is_running = true
  local revised = vim.tbl_extend('force', held.plan, { entries = entries })
  ask.request(client, 'agent/revisePlan', { runId = held.run_id, plan = revised }, function(result)
    held.plan = result.plan
    if vim.api.nvim_buf_is_valid(bufnr) then
      fill(bufnr, held)
    end
    carry_out(bufnr, held, client)
  end, function(err)
    held.is_running = false
    if vim.api.nvim_buf_is_valid(bufnr) then
      vim.bo[bufnr].modified = true
    end
    say.error(err)
  end)
end

---@param held greenline.OpenPlan
---@return integer
local function make_buffer(held)
  local bufnr = vim.api.nvim_create_buf(true, false)
  vim.api.nvim_buf_set_name(bufnr, 'greenline://plan/' .. held.run_id)
  vim.bo[bufnr].buftype = 'acwrite'
  vim.bo[bufnr].bufhidden = 'hide'
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].filetype = 'markdown'
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = bufnr,
    callback = function()
      write(bufnr)
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = bufnr,
    callback = function()
      open[bufnr], buffers[held.run_id] = nil, nil
    end,
  })
  return bufnr
end

--- Go to the window of a plan, or open one; a user who is busy elsewhere is left there.
---@param bufnr integer
---@param is_busy? boolean
local function show(bufnr, is_busy)
  local window = vim.fn.bufwinid(bufnr)
  if window == -1 then
    window = vim.api.nvim_open_win(bufnr, false, { split = 'below', win = -1 })
  end
  if is_busy then
    say.say('The plan is in the window below; :w there approves it.')
  else
    vim.api.nvim_set_current_win(window)
  end
end

--- Show a plan in a window of its own; one that is open and edited is shown as it was edited.
---@param client_id integer
---@param run_id string
---@param request string
---@param plan greenline.Plan
---@param is_busy? boolean Whether the user went on with something else meanwhile.
function M.open(client_id, run_id, request, plan, is_busy)
  local bufnr = buffers[run_id]
  if bufnr and vim.api.nvim_buf_is_valid(bufnr) and vim.bo[bufnr].modified then
    open[bufnr].client_id = client_id
    vim.b[bufnr].greenline_client = client_id
    show(bufnr, is_busy)
    say.say('This plan is shown as you edited it: :w approves it so, and :q! forgets your edits.')
    return
  end
  local held = { client_id = client_id, run_id = run_id, request = request, plan = plan, is_running = false }
  if bufnr == nil or not vim.api.nvim_buf_is_valid(bufnr) then
    bufnr = make_buffer(held)
    buffers[run_id] = bufnr
  end
  open[bufnr] = held
  -- Another server may show the plan of a run that it took over.
  vim.b[bufnr].greenline_client = client_id
  fill(bufnr, held)
  show(bufnr, is_busy)
  mark(bufnr, held)
end

--- Remember that a run's plan is to be shown once its questions are answered.
---@param run_id string
function M.expect(run_id)
  expected[run_id] = attention.now()
end

--- Take a run's new state: a plan whose run was cancelled or broke off can be written again.
---@param run_id string
---@param state string
function M.run_changed(run_id, state)
  local held = open[buffers[run_id] or -1]
  if held and vim.list_contains({ 'cancelled', 'failed', 'interrupted' }, state) then
    held.is_running = false
  end
end

--- Take a plan's new version or progress.
---@param client_id integer
---@param run_id string
---@param plan greenline.Plan
function M.changed(client_id, run_id, plan)
  local bufnr = buffers[run_id]
  if bufnr and open[bufnr] and vim.api.nvim_buf_is_valid(bufnr) then
    local held = open[bufnr]
    if held.is_running and #plan.entries == #held.plan.entries then
      held.plan = plan
      mark(bufnr, held)
    end
  elseif expected[run_id] then
    local since = expected[run_id]
    expected[run_id] = nil
    local client = vim.lsp.get_client_by_id(client_id)
    if client then
      ask.request(client, 'agent/run', { runId = run_id }, function(result)
        M.open(client_id, run_id, result.run.request, plan, not attention.is_idle(since))
      end)
    end
  end
end

return M
