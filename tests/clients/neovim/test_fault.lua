-- What goes wrong around the client: each is said once, in words, and the work goes on.
local child = require('child')
local suite = require('suite')
local test, eq, has = suite.test, suite.eq, suite.has

local CALC = 'def add(a, b):\n    return a - b\n'
local FIXED = CALC:gsub('a %- b', 'a + b')
local SCRIPT =
  { sums = { steps = { { ['do'] = 'propose', summary = 'Fix', files = { ['calc.py'] = FIXED } } } } }

---@param more? table
---@return Child
local function start(more)
  local folder, root = child.project({ ['calc.py'] = CALC, ['other.py'] = 'x = 1\n' })
  local opts = { folder = folder, root = root, cmd = child.scripted(folder, SCRIPT) }
  return child.start(vim.tbl_extend('force', opts, more or {}))
end

---@return Child
local function shared()
  local nvim = child.shared({ ['calc.py'] = CALC, ['other.py'] = 'x = 1\n' }, SCRIPT)
  nvim:edit('calc.py')
  return nvim
end

---@param nvim Child
local function kill_server(nvim)
  nvim:lua([[
    local client = vim.lsp.get_clients({ name = 'greenline' })[1]
    killed = client.id
    for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
      vim.uv.kill(pid, 'sigkill')
    end
  ]])
end

test('a server that was killed is started again with one message, and its proposals come back', function()
  local nvim = start()
  nvim:edit('calc.py')
  nvim:ex('Agent implement sums')
  nvim:wait_pending(1)

  kill_server(nvim)
  nvim:wait_said('ended unexpectedly (signal 9) and is started again')
  nvim:wait(
    'another server',
    [[(function()
    local client = vim.lsp.get_clients({ name = 'greenline', bufnr = 0 })[1]
    return client ~= nil and client.id ~= killed and client.initialized or false
  end)()]]
  )
  nvim:wait(
    'the hunk to be drawn again',
    [[#vim.api.nvim_buf_get_extmarks(
    0, require('greenline.draw').namespace, 0, -1, {}) > 0]]
  )

  eq(1, nvim:count_said('ended'))
  eq(CALC, nvim:text() .. '\n')
  nvim:ex('Agent accept all')
  nvim:wait_said('accepted')
  eq(FIXED, nvim:text() .. '\n')
  kill_server(nvim)
  nvim:wait_said('ended again (signal 9) and is not started again')
  eq({ 2, 0 }, { nvim:count_said('ended'), nvim:get("#vim.lsp.get_clients({ name = 'greenline' })") })
  nvim:ex('Agent restart')
  nvim:wait(
    'the server',
    [[(function()
    local client = vim.lsp.get_clients({ name = 'greenline', bufnr = 0 })[1]
    return client ~= nil and client.initialized or false
  end)()]]
  )
end)

test('a server that does not answer is terminated by a restart', function()
  local nvim = start()
  nvim:edit('calc.py')
  local pids = nvim:lua([[
    stopped = vim.lsp.get_clients({ name = 'greenline' })[1].id
    local pids = vim.api.nvim_get_proc_children(vim.fn.getpid())
    for _, pid in ipairs(pids) do
      vim.uv.kill(pid, 'sigstop')
    end
    return pids
  ]])

  nvim:ex('Agent restart')
  nvim:wait_said('does not answer and is terminated')
  -- The signal reaches a process that was stopped only once it goes on.
  for _, pid in ipairs(pids) do
    vim.uv.kill(pid, 'sigcont')
  end

  nvim:wait(
    'another server',
    [[(function()
    local client = vim.lsp.get_clients({ name = 'greenline', bufnr = 0 })[1]
    return client ~= nil and client.id ~= stopped and client.initialized or false
  end)()]]
  )
  eq(0, nvim:count_said('ended'))
end)

test('a server that is stopped on purpose is not started again', function()
  local nvim = start()
  nvim:edit('calc.py')

  nvim:lua("vim.lsp.enable('greenline', false)")
  nvim:wait('the server to end', [[#vim.api.nvim_get_proc_children(vim.fn.getpid()) == 0]])
  nvim:ex('Agent implement sums')
  nvim:wait_said("vim.lsp.enable('greenline')")

  eq(0, nvim:count_said('ended'))
end)

test('a server that is missing is one message, with the command that installs it', function()
  local nvim = start({
    cmd = false,
    env = { PATH = '/usr/bin:/bin', HOME = '/nowhere' },
    before = [[
    local executable = vim.fn.executable
    vim.fn.executable = function(name) return name:find('greenline', 1, true) and 0 or executable(name) end
  ]],
  })

  nvim:lua('vim.cmd.edit("calc.py")')
  local said = nvim:wait_said('The server was not found')
  nvim:lua('vim.cmd.edit("other.py")')
  nvim:lua('vim.cmd.edit("calc.py")')

  has('make -C ', said)
  has(' install', said)
  eq(1, nvim:count_said('not found'))
  eq(1, #nvim:said())
end)

test('a file that changed on the disk is read again, and its hunks are placed anew', function()
  local nvim = shared()
  nvim:ex('Agent implement sums')
  nvim:wait_pending(1)

  child.write(nvim.root .. '/calc.py', '# from elsewhere\n' .. CALC)
  nvim:ex('checktime')
  nvim:wait_said('calc.py changed on the disk and was read again')
  nvim:wait('the hunk to move', "require('greenline.proposal').waiting()[1].hunk.range.start.line == 2")
  has('2: return a + b', table.concat(nvim:drawn(), '\n'))
  nvim:ex('Agent accept all')
  nvim:wait_said('accepted')

  eq('# from elsewhere\n' .. FIXED, nvim:text() .. '\n')
  eq(1, nvim:count_said('changed on the disk'))
end)

test('a buffer that was kept over a changed disk is not said to be read again, nor one whose file is gone', function()
  local nvim = start()
  vim.rpcrequest(nvim.channel, 'nvim_ui_attach', 100, 24, {})
  nvim:edit('calc.py')
  nvim:ex('Agent implement sums')
  nvim:wait_pending(1)

  nvim:lua([[
    checked = 0
    vim.api.nvim_create_autocmd('FileChangedShellPost', { callback = function() checked = checked + 1 end })
    vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# mine' })
  ]])
  child.write(nvim.root .. '/calc.py', '# from elsewhere\n' .. CALC)
  nvim:keys(':checktime<CR>')
  vim.wait(10000, function()
    return vim.startswith(vim.rpcrequest(nvim.channel, 'nvim_get_mode').mode, 'r')
  end, 30)
  nvim:keys('O')
  nvim:wait('the prompt to close', 'checked == 1')
  eq({ blocking = false, mode = 'n' }, vim.rpcrequest(nvim.channel, 'nvim_get_mode'))
  eq(0, nvim:count_said('changed on the disk'))
  nvim:ex('write!')
  nvim:wait('the file to be written', 'not vim.bo.modified')
  vim.uv.fs_unlink(nvim.root .. '/calc.py')
  nvim:ex('silent! checktime')
  nvim:wait('the end of the check', 'checked == 2')

  eq(0, nvim:count_said('changed on the disk'))
end)

test('what is drawn goes where a buffer is renamed', function()
  local nvim = shared()
  nvim:ex('Agent implement sums')
  nvim:wait_pending(1)
  eq(3, #nvim:drawn())

  nvim:ex('file renamed.py')
  nvim:wait('the new name', 'vim.fn.expand("%") == "renamed.py"')

  eq({}, nvim:drawn())
  eq('', nvim:get('vim.fn.maparg("ga", "n")'))
  nvim:ex('file calc.py')
  nvim:wait('the hunk to be drawn', 'vim.fn.maparg("ga", "n") ~= ""')
  eq(3, #nvim:drawn())
end)

test('an option that is wrong is named, and its default is used', function()
  local nvim = start({ options = { keys = { accept = 7, next = ']h' }, colour = true } })

  nvim:edit('calc.py')
  has('keys.accept', nvim:wait_said('keys.accept must be'))
  nvim:wait_said('The option colour must be one of')
  nvim:ex('Agent implement sums')
  nvim:wait_pending(1)

  has(']h next', table.concat(nvim:drawn(), '\n'))
  has('ga accept', table.concat(nvim:drawn(), '\n'))
end)

test('an edit for a text that changed meanwhile is refused', function()
  local nvim = shared()
  local answer = nvim:lua([[
    local client = vim.lsp.get_clients({ name = 'greenline' })[1]
    local version = vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()]
    vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed' })
    local start = { line = 0, character = 0 }
    return client.handlers['workspace/applyEdit'](nil, { edit = { documentChanges = { {
      textDocument = { uri = vim.uri_from_bufnr(0), version = version },
      edits = { { range = { start = start, ['end'] = start }, newText = 'STALE ' } },
    } } } }, { client_id = client.id })
  ]])

  eq({ false, 'calc.py was edited meanwhile' }, { answer.applied, answer.failureReason })
  eq('# typed\n' .. CALC, nvim:text() .. '\n')
end)

test('a message that is longer than the screen is wide asks for no key', function()
  local nvim = start()
  vim.rpcrequest(nvim.channel, 'nvim_ui_attach', 100, 24, {})

  nvim:lua("vim.schedule(function() require('greenline.say').say(('long words '):rep(60)) end)")
  nvim:wait_said('long words')

  eq({ blocking = false, mode = 'n' }, vim.rpcrequest(nvim.channel, 'nvim_get_mode'))
  has('(:Agent log)', nvim:screen()[24])
end)

test('the help has the options as they are without a configuration', function()
  local plugin = child.repository .. '/editor-clients/neovim'
  local help = child.read(plugin .. '/doc/greenline.txt')
  local documented = assert(help:match('defaults: >lua\n(.-)\n<'))
  vim.opt.runtimepath:prepend(plugin)

  assert(loadstring(documented))()

  local shown = vim.g.greenline
  vim.g.greenline = nil
  eq(require('greenline.config').get(), shown)
end)

test('the health check names the versions, and help has tags for every subcommand', function()
  local nvim = start({ cmd = child.serve() })
  nvim:edit('calc.py')

  nvim:lua('vim.cmd.checkhealth("greenline")')
  local text = nvim:wait(
    'the report',
    [[(function()
    local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
    return vim.bo.filetype == 'checkhealth' and #lines > 8 and table.concat(lines, '\n')
  end)()]],
    60000
  )
  for _, wanted in ipairs({
    'greenline 0.',
    'Neovim 0.',
    'engine: docker',
    'model: none',
    'Follows 1 buffer',
    'is enabled',
  }) do
    has(wanted, text)
  end
  nvim:lua([[
    local doc = vim.fn.tempname()
    vim.fn.mkdir(doc .. '/doc', 'p')
    vim.uv.fs_copyfile(vim.api.nvim_get_runtime_file('doc/greenline.txt', false)[1], doc .. '/doc/greenline.txt')
    vim.cmd.helptags(doc .. '/doc')
    vim.opt.runtimepath:prepend(doc)
  ]])
  local names = nvim:get('vim.fn.getcompletion("Agent ", "cmdline")')

  for _, name in ipairs(names) do
    nvim:lua('vim.cmd.help(...)', ':Agent-' .. name)
  end
  nvim:lua('vim.cmd.help("greenline")')
  has('greenline.txt', nvim:get('vim.api.nvim_buf_get_name(0)'))
end)

suite.run(child.stop_all, child.wait_all)
