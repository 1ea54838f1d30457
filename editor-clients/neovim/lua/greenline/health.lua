-- `:checkhealth greenline`.
local M = {}

local health = vim.health

--- Return the server's program with other arguments.
---@param argv string[]
---@return string[]
local function program(argv, ...)
  local made = argv[#argv] == 'serve' and vim.list_slice(argv, 1, #argv - 1) or { argv[1] }
  return vim.list_extend(made, { ... })
end

---@param command string[]
---@return vim.SystemCompleted
local function run(command)
  local env = require('greenline.config').get().env
  local ok, done = pcall(function()
    return vim.system(command, { text = true, timeout = 60000, env = env }):wait()
  end)
  return ok and done or { code = -1, signal = 0, stdout = '', stderr = tostring(done) }
end

---@return string[]?
local function check_server()
  health.start('Server')
  local server = require('greenline.server')
  local argv = server.find()
  if argv == nil then
    health.error(server.missing())
    return
  end
  local done = run(program(argv, '--version'))
  local version = vim.trim(done.stdout or '')
  if done.code == 0 and version ~= '' then
    health.ok(('%s (%s)'):format(version, argv[1]))
    return argv
  end
  health.error(('%s does not answer: %s'):format(argv[1], vim.trim(done.stderr or '')))
end

---@param argv string[]
local function check_doctor(argv)
  health.start('What the server needs')
  local done = run(program(argv, 'doctor', '--json'))
  local ok, findings = pcall(vim.json.decode, done.stdout or '')
  if not ok or type(findings) ~= 'table' then
    health.error('`greenline doctor` gave no answer: ' .. vim.trim(done.stderr or ''))
    return
  end
  for _, finding in ipairs(findings) do
    local text = ('%s: %s'):format(finding.name, finding.detail)
    local advice = finding.remedy ~= '' and { finding.remedy } or nil
    if finding.ok then
      health.ok(text)
    elseif finding.optional then
      health.warn(text, advice)
    else
      health.error(text, advice)
    end
  end
end

local function check_client()
  health.start('Neovim')
  health.ok('Neovim ' .. tostring(vim.version()))
  if vim.lsp.is_enabled('greenline') then
    health.ok('The server is enabled')
  else
    health.warn('The server is not enabled', { "Put vim.lsp.enable('greenline') into your init.lua." })
  end
  local clients = vim.lsp.get_clients({ name = 'greenline' })
  if #clients == 0 then
    health.info('No buffer is followed by a server')
  end
  for _, client in ipairs(clients) do
    local n = vim.tbl_count(client.attached_buffers)
    health.ok(('Follows %s in %s'):format(require('greenline.words').count(n, 'buffer'), client.root_dir))
  end
end

--- Check everything.
function M.check()
  if vim.fn.has('nvim-0.11') == 0 then
    health.start('Neovim')
    health.error('Neovim 0.11 or newer is needed; this is ' .. tostring(vim.version()))
    return
  end
  check_client()
  local argv = check_server()
  if argv then
    check_doctor(argv)
  end
end

return M
