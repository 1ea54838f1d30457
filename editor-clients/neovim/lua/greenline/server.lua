-- Finds and starts the server, and starts it again once after it died.
local config = require('greenline.config')
local say = require('greenline.say')

local M = {}

--- One that dies again within this many seconds of its start is left alone.
local CALM_S = 300

--- How long a server may take to end that was asked to.
M.EXIT_MS = 3000

---@type table<string, { time: number }>
local restarted = {}

---@return string
local function plugin_folder()
  local here = debug.getinfo(1, 'S').source:sub(2)
  return vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.uv.fs_realpath(here) or here)))
end

--- Return the checkout of Greenline that this plugin is a part of.
---@return string?
local function checkout()
  local root = vim.fs.dirname(vim.fs.dirname(plugin_folder()))
  return vim.uv.fs_stat(root .. '/server/greenline') and root or nil
end

--- Return the command that starts the server, or nil where there is none.
---
--- Never looks into the project that is open: that would run whatever it holds.
---@return string[]?
function M.find()
  local named = config.get().cmd
  if named then
    return vim.fn.executable(named[1]) == 1 and named or nil
  end
  local places = { 'greenline', vim.fn.expand('~/.local/bin/greenline') }
  local root = checkout()
  if root then
    table.insert(places, root .. '/.venv/bin/greenline')
  end
  for _, place in ipairs(places) do
    if vim.fn.executable(place) == 1 then
      return { vim.fn.exepath(place), 'serve' }
    end
  end
end

--- Return the command that installs the server here.
---@return string
function M.install_command()
  local root = checkout()
  if root then
    return 'make -C ' .. vim.fn.shellescape(root) .. ' install'
  end
  if vim.fn.executable('uv') == 1 then
    return 'uv tool install greenline'
  end
  return vim.fn.executable('pipx') == 1 and 'pipx install greenline'
    or 'python3 -m venv ~/.local/share/greenline'
      .. ' && ~/.local/share/greenline/bin/pip install greenline'
      .. ' && ln -s ~/.local/share/greenline/bin/greenline ~/.local/bin/'
end

--- Say that the server was not found, and how to get it.
---@return string
function M.missing()
  local named = config.get().cmd
  if named then
    return ('The server %s cannot be run: the option cmd names it.'):format(named[1])
  end
  return 'The server was not found. To install it, run: ' .. M.install_command()
end

--- Find the root of a buffer's project; a server that is missing is said once, and not started.
---@param bufnr integer
---@param on_dir fun(root: string)
function M.root_dir(bufnr, on_dir)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name == '' then
    return
  end
  if not M.find() then
    say.once('missing', M.missing(), vim.log.levels.WARN)
    return
  end
  say.once('missing', nil)
  local markers =
    { '.git', 'pyproject.toml', 'setup.cfg', 'setup.py', 'package.json', 'go.mod', 'Cargo.toml' }
  on_dir(vim.fs.root(bufnr, { markers }) or vim.fs.dirname(name))
end

--- Return what this client can do beside Neovim's own abilities.
---
--- Files are made and deleted by the server, whole and never over one that exists: Neovim would make an
--- empty file first, and leave its text unsaved.
---@return lsp.ClientCapabilities
function M.capabilities()
  local edit = { documentChanges = true, resourceOperations = {} }
  return vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), {
    workspace = { workspaceEdit = edit },
  })
end

---@param name string
---@param root string?
---@return integer[]
local function followed(name, root)
  local buffers = {}
  for _, client in ipairs(vim.lsp.get_clients({ name = name })) do
    if client.root_dir == root then
      vim.list_extend(buffers, vim.tbl_keys(client.attached_buffers))
    end
  end
  return buffers
end

--- Start the server again for buffers.
---@param buffers integer[]
local function start_again(buffers)
  local configured = vim.lsp.config.greenline
  for _, bufnr in ipairs(buffers) do
    if configured and vim.api.nvim_buf_is_loaded(bufnr) then
      local made = vim.deepcopy(configured)
      M.root_dir(bufnr, function(root)
        made.root_dir = root
        vim.lsp.start(made, { bufnr = bufnr })
      end)
    end
  end
end

---@param root string
---@param buffers integer[]
---@param code integer
---@param signal integer
local function died(root, buffers, code, signal)
  local how = signal ~= 0 and ('signal %d'):format(signal) or ('exit code %d'):format(code)
  local before = restarted[root]
  if before and vim.uv.now() / 1000 - before.time < CALM_S then
    say.say(
      ('The server ended again (%s) and is not started again. Your buffers are as you left them; '):format(
        how
      )
        .. ':Agent restart tries anew, and why is in '
        .. vim.lsp.log.get_filename()
        .. '.',
      vim.log.levels.ERROR
    )
    return
  end
  restarted[root] = { time = vim.uv.now() / 1000 }
  say.say(
    ('The server ended unexpectedly (%s) and is started again. Your buffers are as you left them, '):format(
      how
    ) .. 'proposals come back, and :Agent resume goes on with a run.',
    vim.log.levels.WARN
  )
  start_again(buffers)
end

--- Start the server: the `cmd` of the configuration.
---
--- Its end is told to Neovim as a plain exit, so that the one message about it is ours.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param client_config? vim.lsp.ClientConfig
---@return vim.lsp.rpc.PublicClient
function M.start(dispatchers, client_config)
  local argv = assert(M.find(), M.missing())
  local root = client_config and client_config.root_dir or vim.fn.getcwd()
  local is_asked, rpc = false, nil
  local on_exit = dispatchers.on_exit
  dispatchers.on_exit = function(code, signal)
    local unexpected = not is_asked and vim.v.exiting == vim.NIL
    local buffers = unexpected and followed('greenline', root) or {}
    on_exit(0, 0)
    if unexpected then
      -- Neovim forgets the client in a scheduled step of its own, after which it can be started anew.
      vim.schedule(function()
        vim.schedule(function()
          if vim.lsp.is_enabled('greenline') then
            died(root, buffers, code, signal)
          end
        end)
      end)
    end
  end
  rpc = vim.lsp.rpc.start(argv, dispatchers, { cwd = root, env = config.get().env })
  local made = setmetatable({}, { __index = rpc })
  function made.request(method, ...)
    is_asked = is_asked or method == 'shutdown'
    return rpc.request(method, ...)
  end
  function made.terminate()
    is_asked = true
    rpc.terminate()
  end
  return made
end

--- Stop the server and start it again; one that does not end when it is asked to is terminated.
function M.restart()
  restarted = {}
  local buffers = {}
  for _, client in ipairs(vim.lsp.get_clients({ name = 'greenline' })) do
    vim.list_extend(buffers, vim.tbl_keys(client.attached_buffers))
    client:stop()
  end
  if #buffers == 0 then
    for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
      if vim.list_contains(M.filetypes_of(), vim.bo[bufnr].filetype) and vim.bo[bufnr].buftype == '' then
        table.insert(buffers, bufnr)
      end
    end
  end
  local asked_ms, is_forced = vim.uv.now(), false
  local function begin()
    local left = vim.lsp.get_clients({ name = 'greenline' })
    if #left == 0 then
      start_again(buffers)
      return
    end
    if not is_forced and vim.uv.now() - asked_ms > M.EXIT_MS then
      is_forced = true
      say.say('The server does not answer and is terminated.', vim.log.levels.WARN)
      for _, client in ipairs(left) do
        client:stop(true)
      end
    end
    vim.defer_fn(begin, 50)
  end
  begin()
end

--- Return the file types that the server follows, as configured.
---@return string[]
function M.filetypes_of()
  local configured = vim.lsp.config.greenline
  return configured and configured.filetypes or config.filetypes
end

return M
