-- A Neovim of its own with a screen, which is typed into as a person does, over a project and a server.
local M = {}

local HERE = vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2)))
local ROOT = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(HERE)))
local PYTHON = assert(vim.env.GREENLINE_TEST_PYTHON, 'GREENLINE_TEST_PYTHON names the interpreter')
local WAIT_MS = 60000

M.repository = ROOT

---@class Child
---@field channel integer
---@field folder string
---@field root string
---@field is_shared? boolean
local Child = {}
Child.__index = Child

---@type Child[]
local running = {}
--- Channels of children that were asked to leave: the next test need not wait for them.
---@type integer[]
local leaving = {}
local LEAVE_MS = 10000
---@type Child?
local shared

---@param path string
---@param text string
function M.write(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'wb'))
  file:write(text)
  file:close()
end

---@param path string
---@return string
function M.read(path)
  local file = assert(io.open(path, 'rb'))
  local text = file:read('*a')
  file:close()
  return text
end

--- Make a folder with a project in it.
---@param files table<string, string>
---@return string folder
---@return string root
function M.project(files)
  local folder = assert(vim.uv.fs_realpath(vim.fs.dirname(vim.fn.tempname())))
  folder = ('%s/%d'):format(folder, vim.uv.hrtime())
  local root = folder .. '/ws'
  vim.fn.mkdir(root .. '/.git', 'p')
  for name, text in pairs(files) do
    M.write(root .. '/' .. name, text)
  end
  return folder, root
end

--- Return the command of the real server whose agent plays a script.
---@param folder string
---@param script table<string, any> Request → what happens; see `greenline.agent.scripted_agent`.
---@return string[]
function M.scripted(folder, script)
  M.write(folder .. '/script.json', vim.json.encode(script))
  return { PYTHON, ROOT .. '/tests/e2e/scripted_server.py', folder .. '/script.json', folder .. '/state' }
end

--- Return the command of the real server with its worker and sandbox.
---@return string[]
function M.serve()
  return { PYTHON, '-m', 'greenline', 'serve' }
end

---@type integer[]
local models = {}

--- Return a port at which nobody listens.
---@return integer
function M.free_port()
  local socket = assert(vim.uv.new_tcp())
  socket:bind('127.0.0.1', 0)
  local port = socket:getsockname().port
  socket:close()
  return port
end

--- Start the shipped server that plays a model, and return its port.
---@param turns table[]
---@param port? integer
---@return integer
function M.model(turns, port)
  port = port or M.free_port()
  local script = vim.fn.tempname() .. '.json'
  M.write(script, vim.json.encode(turns))
  local argv = { PYTHON, '-m', 'greenline.model.scripted_server', script, '--port', tostring(port) }
  table.insert(models, vim.fn.jobstart(argv))
  local answers = vim.wait(WAIT_MS, function()
    local ok, channel = pcall(vim.fn.sockconnect, 'tcp', ('127.0.0.1:%d'):format(port))
    if ok and channel > 0 then
      vim.fn.chanclose(channel)
    end
    return ok and channel > 0
  end, 100)
  assert(answers, 'the scripted model does not answer')
  return port
end

---@class Engine
---@field host string
---@field start fun()
---@field stop fun()
---@field remove fun()

---@type Engine[]
local engines = {}

--- Start a container engine of the test's own, which it may stop.
---@return Engine
function M.engine()
  -- Not in the test's folder: the path of a socket has hardly more than a hundred bytes.
  local state = assert(vim.uv.fs_mkdtemp('/tmp/greenline-engine-XXXXXX'))
  local function ask(what)
    local argv = { 'bash', ROOT .. '/sandbox/engine.sh', what }
    local done = vim.system(argv, { env = { XDG_STATE_HOME = state }, text = true }):wait(WAIT_MS)
    assert(done.code == 0, ('engine.sh %s: %s'):format(what, done.stderr))
    return vim.trim(done.stdout)
  end
  local engine = {
    start = function()
      return ask('start')
    end,
    stop = function()
      ask('stop')
    end,
  }
  engine.host = engine.start()
  function engine.remove()
    engine.stop()
    vim.fn.delete(state, 'rf')
  end
  table.insert(engines, engine)
  return engine
end

---@class ChildOptions
---@field folder string
---@field root string
---@field cmd string[]|false
---@field env? table<string, string>
---@field options? table<string, any> More options of the plug-in.
---@field before? string Lua that runs before the plug-in is loaded.
---@field lines? integer
---@field columns? integer

--- Start a Neovim with the plug-in as a plain package, and the server enabled.
---@param opts ChildOptions
---@return Child
function M.start(opts)
  local package = opts.folder .. '/site/pack/tests/opt'
  vim.fn.mkdir(package, 'p')
  vim.uv.fs_symlink(ROOT .. '/editor-clients/neovim', package .. '/greenline.nvim')
  local options = vim.tbl_extend('force', { cmd = opts.cmd }, opts.options or {})
  local init = ([[
    vim.o.packpath = %q .. ',' .. vim.o.packpath
    vim.o.swapfile = false
    vim.o.lines, vim.o.columns = %d, %d
    vim.o.laststatus = 0
    %s
    vim.g.greenline = vim.json.decode(%q)
    said = {}
    vim.cmd.packadd('greenline.nvim')
    vim.lsp.enable('greenline')
  ]]):format(
    opts.folder .. '/site',
    opts.lines or 24,
    opts.columns or 100,
    opts.before or '',
    vim.json.encode(options)
  )
  M.write(opts.folder .. '/init.lua', init)
  local env = vim.tbl_extend('force', {
    GREENLINE_STATE_DIR = opts.folder .. '/state',
    XDG_STATE_HOME = opts.folder .. '/xdg',
    XDG_CONFIG_HOME = opts.folder .. '/xdg',
    XDG_DATA_HOME = opts.folder .. '/xdg',
    XDG_CACHE_HOME = opts.folder .. '/xdg',
    LC_ALL = 'C.UTF-8',
  }, opts.env or {})
  local argv = {
    vim.v.progpath,
    '--clean',
    '--embed',
    '--headless',
    '-n',
    '-i',
    'NONE',
    '-u',
    opts.folder .. '/init.lua',
  }
  local channel = vim.fn.jobstart(argv, { rpc = true, env = env, cwd = opts.root })
  assert(channel > 0, 'the child could not be started')
  local child = setmetatable({ channel = channel, folder = opts.folder, root = opts.root }, Child)
  table.insert(running, child)
  -- A notice of the child's own would stop it at a prompt.
  child:lua('vim.o.shortmess = vim.o.shortmess .. "I"')
  return child
end

--- Ask all children to leave; return what they had said and shown, where a test failed.
---@param failed boolean
---@return string
function M.stop_all(failed)
  local told = {}
  local kept = {}
  for _, child in ipairs(running) do
    if failed then
      local ok, words = pcall(function()
        return table.concat(child:said(), '\n') .. '\n' .. table.concat(child:screen(), '\n')
      end)
      table.insert(told, ok and words or 'the child is gone')
    end
    if child.is_shared and not failed then
      table.insert(kept, child)
    else
      child:leave()
    end
  end
  running = kept
  for _, job in ipairs(models) do
    vim.fn.jobstop(job)
  end
  models = {}
  return table.concat(told, '\n')
end

--- Ask for leave.
function Child:leave()
  pcall(vim.rpcnotify, self.channel, 'nvim_command', 'qall!')
  table.insert(leaving, self.channel)
  if shared == self then
    shared = nil
  end
end

--- Return a child over a project and a script that the tests of a file share, as if it had just been started.
---
--- A server costs seconds to start; nothing else is left of the test before.
---@param files table<string, string>
---@param script table<string, any>
---@return Child
function M.shared(files, script)
  if shared then
    shared:reset()
    for name in vim.fs.dir(shared.root) do
      if name:match('%.py$') then
        vim.uv.fs_unlink(shared.root .. '/' .. name)
      end
    end
    for name, text in pairs(files) do
      M.write(shared.root .. '/' .. name, text)
    end
    return shared
  end
  local folder, root = M.project(files)
  shared = M.start({ folder = folder, root = root, cmd = M.scripted(folder, script) })
  shared.is_shared = true
  return shared
end

--- Forget what is proposed, what was said and what is open.
function Child:reset()
  self:keys('<Esc><Esc>')
  self:lua([[
    ui = ui or vim.deepcopy(vim.ui)
    vim.ui.select, vim.ui.input = ui.select, ui.input
    for _, item in ipairs(require('greenline.proposal').waiting()) do
      local client = vim.lsp.get_client_by_id(item.client_id)
      client:request_sync('agent/review', {
        proposalId = item.proposal.id,
        decisions = { { hunkId = item.hunk.id, decision = 'reject' } },
      }, 10000, 0)
    end
  ]])
  self:wait_pending(0)
  self:lua([[
    vim.cmd('silent! cclose')
    vim.cmd('silent! only!')
    vim.cmd('enew!')
    vim.fn.setqflist({})
    for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
      if bufnr ~= vim.api.nvim_get_current_buf() then
        vim.api.nvim_buf_delete(bufnr, { force = true })
      end
    end
    for _, client in ipairs(vim.lsp.get_clients()) do
      client.request = nil
    end
    require('greenline.say').history = {}
  ]])
end

--- Wait until the children are gone, and end those that stay.
function M.wait_all()
  for _, child in ipairs(running) do
    child:leave()
  end
  vim.fn.jobwait(leaving, LEAVE_MS)
  for _, channel in ipairs(leaving) do
    vim.fn.jobstop(channel)
  end
  vim.fn.jobwait(leaving, LEAVE_MS)
  for _, engine in ipairs(engines) do
    engine.remove()
  end
end

--- Run Lua in the child, and return what it returns.
---@param code string
---@return any
function Child:lua(code, ...)
  return vim.rpcrequest(self.channel, 'nvim_exec_lua', code, { ... })
end

--- Return the value of an expression.
---@param expression string
---@return any
function Child:get(expression, ...)
  return self:lua('return ' .. expression, ...)
end

--- Run an Ex command as if it had been typed.
---@param command string
function Child:ex(command)
  self:keys(':' .. command:gsub('<', '<lt>') .. '<CR>')
end

--- Type keys; what they do may come later.
---@param keys string
function Child:keys(keys)
  vim.rpcrequest(self.channel, 'nvim_input', keys)
end

--- Wait until an expression is true in the child; return its value.
---@param what string
---@param expression string
---@param wait_ms? integer
---@return any
function Child:wait(what, expression, wait_ms, ...)
  local value
  local arguments = { ... }
  local ok = vim.wait(wait_ms or WAIT_MS, function()
    value = self:get(expression, unpack(arguments))
    return value and value ~= vim.NIL
  end, 30)
  if not ok then
    error('waited in vain for ' .. what, 2)
  end
  return value
end

--- Open a file, and wait until the server follows it.
---@param name string
function Child:edit(name)
  self:lua('vim.cmd.edit(...)', name)
  self:wait(
    'the server to follow ' .. name,
    [[(function()
    local client = vim.lsp.get_clients({ name = 'greenline', bufnr = 0 })[1]
    return client ~= nil and client.initialized or false
  end)()]]
  )
end

--- Return what was said, all of it.
---@return string[]
function Child:said()
  return self:get("vim.tbl_map(function(item) return item.text end, require('greenline.say').history)")
end

--- Wait until something was said that holds a text; return it.
---@param text string
---@param wait_ms? integer
---@return string
function Child:wait_said(text, wait_ms)
  return self:wait(
    'the words: ' .. text,
    [[(function(text)
      for _, item in ipairs(require('greenline.say').history) do
        if item.text:find(text, 1, true) then
          return item.text
        end
      end
      return false
    end)(...)]],
    wait_ms,
    text
  )
end

--- Return how often something was said that holds a text.
---@param text string
---@return integer
function Child:count_said(text)
  return #vim.tbl_filter(function(said)
    return said:find(text, 1, true) ~= nil
  end, self:said())
end

--- Wait for a floating window; return its text.
---@param what string
---@return string
function Child:wait_float(what)
  return self:wait(
    what,
    [[(function()
      for _, window in ipairs(vim.api.nvim_list_wins()) do
        if vim.api.nvim_win_get_config(window).relative ~= '' then
          return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
        end
      end
      return false
    end)()]]
  )
end

--- Return the text of a buffer.
---@param name? string A file; without one the current buffer.
---@return string
function Child:text(name)
  return table.concat(
    self:get('vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)', name or '%'),
    '\n'
  )
end

--- Wait until `n` hunks are pending.
---@param n integer
function Child:wait_pending(n)
  self:wait(('%d pending hunks'):format(n), "#require('greenline.proposal').waiting() == ...", WAIT_MS, n)
end

--- Return everything that is drawn in the current buffer, as text: `row: line` for each virtual line.
---@return string[]
function Child:drawn()
  return self:lua([[
    local marks = vim.api.nvim_buf_get_extmarks(0, require('greenline.draw').namespace, 0, -1, { details = true })
    local found = {}
    for _, mark in ipairs(marks) do
      for _, line in ipairs(mark[4].virt_lines or {}) do
        local text = table.concat(vim.tbl_map(function(chunk) return chunk[1] end, line))
        table.insert(found, ('%d: %s'):format(mark[2], vim.trim(text)))
      end
      if mark[4].line_hl_group then
        table.insert(found, ('%d: [%s]'):format(mark[2], mark[4].line_hl_group))
      end
    end
    return found
  ]])
end

--- Return the screen, as lines of text without blanks at their ends.
---@return string[]
function Child:screen()
  return self:lua([[
    vim.cmd.redraw()
    local lines = {}
    for row = 1, vim.o.lines do
      local cells = {}
      for column = 1, vim.o.columns do
        cells[column] = vim.fn.screenstring(row, column)
      end
      lines[row] = (table.concat(cells):gsub('%s+$', ''))
    end
    return lines
  ]])
end

return M
