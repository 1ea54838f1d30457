-- Whole jobs: the real server, its worker and the real engine; the model is the repair engine or a script.
local child = require('child')
local suite = require('suite')
local test, eq, has = suite.test, suite.eq, suite.has

local WORK_MS = 150000
local SAMPLE = child.repository .. '/sandbox/sample'

local CALC =
  'def add(a, b):\n    return a - b\n\n\ndef twice(a):\n    return a * 2\n\n\ndef half(a):\n    return a * 2\n'
local TESTS = 'from calc import add, half\n\n\ndef test_add():\n    assert add(2, 3) == 5\n\n\n'
  .. 'def test_half():\n    assert half(8) == 4\n'
local ADDS = CALC:gsub('a %- b', 'a + b', 1)

---@return table<string, string>
local function sample()
  local files = {}
  for name, kind in vim.fs.dir(SAMPLE, { depth = 5 }) do
    if kind == 'file' and name:match('%.py$') or name:match('%.toml$') then
      files[name] = child.read(SAMPLE .. '/' .. name)
    end
  end
  return files
end

---@param files table<string, string>
---@param env? table<string, string>
---@param first string
---@return Child
local function open(files, env, first)
  local folder, root = child.project(files)
  local nvim = child.start({ folder = folder, root = root, cmd = child.serve(), env = env })
  nvim:edit(first)
  return nvim
end

---@param name string
---@param arguments table
---@return table
local function call(name, arguments)
  return { tool_calls = { { name = name, arguments = arguments } } }
end

--- The turns of a model that mends both functions.
local TURNS = {
  call('submit_plan', {
    entries = {
      { intent = 'Mend both functions', files = { 'calc.py' }, checks = { 'test_calc.py::test_add' } },
    },
    risk = 'low',
  }),
  call('submit_score', { score = 9 }),
  call('edit_file', { path = 'calc.py', search = '    return a - b', replace = '    return a + b' }),
  call('edit_file', {
    path = 'calc.py',
    search = 'def half(a):\n    return a * 2',
    replace = 'def half(a):\n    return a / 2',
  }),
  { content = 'Mends both functions.' },
}

test('from the failing test to the accepted line: plan, write, review, accept, save', function()
  local nvim = open(sample(), nil, 'ledger/discount.py')
  local before = nvim:text()

  nvim:ex('Agent plan make the failing tests pass')
  nvim:wait('the plan', 'vim.bo.buftype == "acwrite"', WORK_MS)
  has('by the repair engine', nvim:text())
  nvim:ex('wq')
  nvim:wait_said('1 change proposed, verified; ]g goes to the first.', WORK_MS)
  eq(before, nvim:text('ledger/discount.py'))
  nvim:keys(']ggK')
  local text = nvim:wait_float('the evidence')
  has('docker', text)
  has('tests execute these lines', text)
  nvim:keys('ga')
  nvim:wait_said('1 change accepted.')
  nvim:ex('write')
  nvim:wait('the file to be written', 'not vim.bo.modified')

  has('quantity >= pieces', child.read(nvim.root .. '/ledger/discount.py'))
end)

test('a model mends two places: accept one, reject the other, undo', function()
  local port = child.model(TURNS)
  local env =
    { GREENLINE_MODEL = 'openai/scripted', GREENLINE_API_BASE = ('http://127.0.0.1:%d/v1'):format(port) }
  local nvim = open({ ['calc.py'] = CALC, ['test_calc.py'] = TESTS }, env, 'calc.py')

  nvim:ex('Agent fix')
  nvim:wait_said('2 changes proposed, verified', WORK_MS)
  nvim:keys('gg]gga')
  nvim:wait_said('1 change accepted.')
  eq(ADDS, nvim:text() .. '\n')
  nvim:keys(']g')
  nvim:wait('the second hunk', 'vim.fn.line(".") == 10')
  nvim:ex('Agent reject hunk halves are fine')
  nvim:wait_said('1 change rejected.')
  nvim:ex('write')
  nvim:wait('the file to be written', 'not vim.bo.modified')
  eq(ADDS, child.read(nvim.root .. '/calc.py'))
  nvim:ex('Agent undo')
  nvim:wait_said('Undone in 1 file')

  eq(CALC, nvim:text() .. '\n')
  eq(1, #nvim:get("require('greenline.proposal').waiting()"))
end)

test('without a sandbox a repair says so, and what a model proposes is marked as untested', function()
  local port = child.model(TURNS)
  local env = {
    DOCKER_HOST = 'unix:///nowhere/docker.sock',
    GREENLINE_MODEL = 'openai/scripted',
    GREENLINE_API_BASE = ('http://127.0.0.1:%d/v1'):format(port),
  }
  local nvim = open({ ['calc.py'] = CALC, ['test_calc.py'] = TESTS }, env, 'calc.py')

  nvim:ex('Agent fix')
  nvim:wait_said('untested', WORK_MS)

  has('could not run', table.concat(nvim:drawn(), '\n'))
  nvim:wait('the status line', [[require('greenline').statusline():find('no sandbox', 1, true)]])
  eq(1, nvim:count_said('/nowhere/docker.sock'))
  eq(CALC, nvim:text() .. '\n')
end)

test('an engine that is stopped is said once, and is used again once it is back', function()
  local engine = child.engine()
  local port = child.model(vim.list_extend(vim.deepcopy(TURNS), TURNS))
  local env = {
    DOCKER_HOST = engine.host,
    GREENLINE_MODEL = 'openai/scripted',
    GREENLINE_API_BASE = ('http://127.0.0.1:%d/v1'):format(port),
  }
  local nvim = open({ ['calc.py'] = CALC, ['test_calc.py'] = TESTS }, env, 'calc.py')

  nvim:ex('Agent fix')
  nvim:wait_said('2 changes proposed, verified', WORK_MS)
  nvim:ex('Agent reject all')
  nvim:wait_pending(0)
  engine.stop()
  nvim:ex('Agent fix')
  nvim:wait_said('2 changes proposed, untested', WORK_MS)
  nvim:wait('the status line', [[require('greenline').statusline():find('no sandbox', 1, true)]])
  local told = nvim:count_said('sandbox/engine.sh')
  engine.start()
  nvim:ex('Agent verify')
  nvim:wait_said('Measured again: verified', WORK_MS)
  nvim:wait('the status line', [[not require('greenline').statusline():find('no sandbox', 1, true)]])

  eq(1, told)
  eq(1, nvim:count_said('sandbox/engine.sh'))
  has('verified', table.concat(nvim:drawn(), '\n'))
end)

test('a model that cannot be reached is said once, with what to do, and is asked again once it is back', function()
  local port = child.free_port()
  local address = ('127.0.0.1:%d'):format(port)
  local env = {
    GREENLINE_MODEL = 'openai/nobody',
    GREENLINE_API_BASE = ('http://%s/v1'):format(address),
  }
  local nvim = open({ ['calc.py'] = CALC, ['test_calc.py'] = TESTS }, env, 'calc.py')

  nvim:ex('Agent implement a better sum')
  local said = nvim:wait_said(address, WORK_MS)
  eq(1, #nvim:said())
  has('openai/nobody', said)
  child.model(TURNS, port)
  nvim:ex('Agent implement a better sum')
  nvim:wait_said('2 changes proposed, verified', WORK_MS)

  eq(2, #nvim:said())
end)

suite.run(child.stop_all, child.wait_all)
