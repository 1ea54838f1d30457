-- Review in the buffer: draw, move, decide, undo; the server is real, its agent plays a script.
local child = require('child')
local suite = require('suite')
local test, eq, has = suite.test, suite.eq, suite.has

local CALC =
  'def add(a, b):\n    return a - b\n\n\ndef twice(a):\n    return a * 2\n\n\ndef half(a):\n    return a * 2\n'
local FIXED = CALC:gsub('a %- b', 'a + b', 1)
  :gsub('half%(a%):\n    return a %* 2', 'half(a):\n    return a / 2')

local EVIDENCE = {
  verdict = 'verified',
  reason = '',
  detail = '2 tests were fixed.',
  fixed = { 'test_calc.py::test_add' },
  engine = 'docker 28.2.2',
  image = 'sha256:0123',
  command = { 'python', '-m', 'pytest' },
  durationS = 3.5,
  base = {
    ['end'] = 'complete',
    durationS = 1.5,
    tests = { { id = 'test_calc.py::test_add', outcome = 'failed' } },
  },
  patched = {
    ['end'] = 'complete',
    durationS = 1.25,
    tests = { { id = 'test_calc.py::test_add', outcome = 'passed' } },
  },
}

---@param files table<string, any>
---@param more? table
local function propose(files, more)
  local step = vim.tbl_extend('force', {
    ['do'] = 'propose',
    summary = 'Mend the sums',
    why = 'The sum was a difference.',
    files = files,
    evidence = EVIDENCE,
  }, more or {})
  return { steps = { step } }
end

local FILES = { ['calc.py'] = CALC, ['other.py'] = 'x = 1\n' }

local SCRIPT = {
  change = propose({ ['calc.py'] = FIXED }),
  everywhere = propose({ ['calc.py'] = FIXED, ['other.py'] = 'x = 2\n', ['new.py'] = 'y = 3\n' }),
  elsewhere = propose({ ['other.py'] = 'x = 2\n', ['new.py'] = 'y = 3\n' }),
  untested = propose({ ['calc.py'] = FIXED }, {
    evidence = { verdict = 'notCovered', reason = '', detail = 'No test runs the change.' },
  }),
}

---@param request? string
---@return Child
local function reviewing(request)
  local nvim = child.shared(FILES, SCRIPT)
  nvim:edit('calc.py')
  nvim:ex('Agent implement ' .. (request or 'change'))
  nvim:wait_said('proposed')
  return nvim
end

test('a pending hunk is drawn beside the text, which stays as it is', function()
  local nvim = reviewing()

  local drawn = nvim:drawn()

  eq(CALC, nvim:text() .. '\n')
  eq(false, nvim:get('vim.bo.modified'))
  has('Greenline 1/2', drawn[1])
  has('verified', drawn[1])
  has('ga accept', drawn[1])
  eq({ '1: [GreenlineDelete]', '1: return a + b' }, { drawn[2], drawn[3] })
  nvim:wait(
    'the lines on the screen',
    [[(function()
    vim.cmd.redraw()
    for row = 1, vim.o.lines do
      local cells = {}
      for column = 1, 20 do cells[column] = vim.fn.screenstring(row, column) end
      if table.concat(cells):find('return a + b', 1, true) then return true end
    end
    return false
  end)()]]
  )
end)

test('saving while hunks are pending writes none of the proposal', function()
  local nvim = reviewing()

  nvim:keys('Go# mine<Esc>')
  nvim:ex('write')
  nvim:wait('the file to be written', 'not vim.bo.modified')

  eq(CALC .. '# mine\n', child.read(nvim.root .. '/calc.py'))
  eq(2, nvim:get("#require('greenline.proposal').waiting()"))
end)

test('accept one, reject the other with a comment, then undo', function()
  local nvim = reviewing()

  nvim:keys('gg]g')
  nvim:wait('the cursor on the first hunk', 'vim.fn.line(".") == 2')
  nvim:keys('ga')
  nvim:wait_pending(1)
  eq(CALC:gsub('a %- b', 'a + b', 1), nvim:text() .. '\n')
  nvim:keys(']g')
  nvim:wait('the cursor on the second hunk', 'vim.fn.line(".") == 10')
  nvim:ex('Agent reject hunk halves stay')
  nvim:wait_pending(0)
  eq({}, nvim:drawn())
  nvim:ex('Agent undo')
  nvim:wait_said('Undone in 1 file')

  eq(CALC, nvim:text() .. '\n')
  nvim:wait_pending(1)
end)

test('an accept is one step of u, and typing before and after it are others', function()
  local nvim = reviewing()
  local before = '# first\n' .. CALC

  nvim:keys('ggO# first<Esc>')
  nvim:ex('Agent accept all')
  nvim:wait_said('2 changes accepted')
  local after = nvim:text() .. '\n'
  nvim:keys('Go# last<Esc>')
  nvim:keys('u')
  nvim:wait('the typing to be undone', 'vim.fn.getline("$") ~= "# last"')
  eq(after, nvim:text() .. '\n')
  nvim:keys('u')
  nvim:wait('the accept to be undone', 'vim.fn.getline(3) == "    return a - b"')

  eq(before, nvim:text() .. '\n')
  nvim:keys('u')
  nvim:wait('the first typing to be undone', 'vim.fn.getline(1) ~= "# first"')
  eq(CALC, nvim:text() .. '\n')
end)

test('an accept that u took back is told of, and is the one that an undo makes pending again', function()
  local nvim = reviewing('everywhere')

  nvim:ex('2')
  nvim:keys('ga')
  nvim:wait_pending(3)
  nvim:ex('edit other.py')
  nvim:wait('the other file', 'vim.fn.maparg("ga", "n") ~= ""')
  nvim:keys('ga')
  nvim:wait_pending(2)
  nvim:ex('edit calc.py')
  nvim:keys('u')
  nvim:wait_said('Taken back here; :Agent undo makes it pending again')
  nvim:keys('<C-R>')
  nvim:wait('the accept', 'vim.fn.getline(2) == "    return a + b"')
  nvim:keys('u')
  nvim:wait('the old text', 'vim.fn.getline(2) == "    return a - b"')
  nvim:ex('Agent undo')
  nvim:wait_said('The change was taken back already; it is pending again.')
  nvim:wait_pending(3)

  eq({ CALC, 'x = 2' }, { nvim:text() .. '\n', nvim:text('other.py') })
  has('Greenline 1/3', nvim:drawn()[1])
  eq({ 2, 0 }, { nvim:count_said('Taken back here'), nvim:count_said('Nothing to undo') })
  nvim:ex('Agent undo')
  nvim:wait_said('Undone in 1 file')
  eq('x = 1', nvim:text('other.py'))
  -- The undo itself is a step of `u` that is no accept, whatever is accepted next.
  nvim:wait_pending(4)
  nvim:ex('10')
  nvim:ex('Agent next')
  nvim:wait('the new file', 'vim.api.nvim_buf_get_name(0):find("new.py", 1, true)')
  nvim:keys('ga')
  nvim:wait_pending(3)
  nvim:ex('buffer other.py')
  nvim:keys('u')
  nvim:wait('the undo to be undone', 'vim.fn.getline(1) == "x = 2"')
  eq(2, nvim:count_said('Taken back here'))
end)

test('a hunk moves with the text, and is accepted where it is now', function()
  local nvim = reviewing()

  nvim:keys('ggO# one<CR># two<Esc>')
  nvim:wait('the hunk to move', "require('greenline.proposal').waiting()[1].hunk.range.start.line == 3")
  nvim:ex('4')
  nvim:keys('ga')
  nvim:wait_pending(1)

  eq('# one\n# two\n' .. CALC:gsub('a %- b', 'a + b', 1), nvim:text() .. '\n')
end)

test('an edit of the lines is a conflict in words, and nothing is applied', function()
  local nvim = reviewing()

  nvim:lua('vim.api.nvim_buf_set_lines(0, 1, 2, false, { "    return a * b" })')
  local said = nvim:wait_said('is gone')
  nvim:ex('Agent accept all')
  nvim:wait_said('Nothing was applied')

  has('calc.py', said)
  eq(1, nvim:count_said('Undo your edit'))
  has('it replaces is gone', table.concat(nvim:drawn(), '\n'))
  eq(CALC:gsub('a %- b', 'a * b', 1), nvim:text() .. '\n')
  nvim:keys('u')
  nvim:wait('the hunk to fit again', "require('greenline.proposal').waiting()[1].hunk.state == 'pending'")
end)

test('maps are set only where hunks are pending, and never over those of the user', function()
  local folder, root = child.project(FILES)
  local cmd = child.scripted(folder, SCRIPT)
  local before = 'vim.keymap.set("n", "ga", "<Cmd>let g:mine = 1<CR>")'
  local nvim = child.start({ folder = folder, root = root, cmd = cmd, before = before })
  nvim:edit('calc.py')
  eq('', nvim:get('vim.fn.maparg("]g", "n")'))

  nvim:ex('Agent implement change')
  nvim:wait_said('proposed')
  eq(1, nvim:get('vim.fn.maparg("]g", "n", false, true).buffer'))
  nvim:keys('ga')
  nvim:wait("the user's own map", 'vim.g.mine == 1')
  has('gr reject', table.concat(nvim:drawn(), '\n'))
  eq(nil, table.concat(nvim:drawn(), '\n'):find('ga accept', 1, true))
  nvim:ex('Agent reject all')
  nvim:wait_pending(0)

  nvim:wait('the maps to go', 'vim.fn.maparg("]g", "n") == ""')
  eq('<Cmd>let g:mine = 1<CR>', nvim:get('vim.fn.maparg("ga", "n")'))
end)

test('where the last hunk of a file is decided, the keys go on to those of other files', function()
  local nvim = reviewing('everywhere')

  nvim:ex('Agent accept file')
  nvim:wait_said(']g goes on to 2 changes in other files')
  eq({}, nvim:drawn())
  eq('', nvim:get('vim.fn.maparg("ga", "n")'))
  nvim:keys(']g')
  nvim:wait('the new file', 'vim.api.nvim_buf_get_name(0):find("new.py", 1, true)')
  nvim:keys('ga')
  nvim:wait_said(']g goes on to 1 change in other files')
  nvim:keys(']g')
  nvim:wait('the other file', 'vim.api.nvim_buf_get_name(0):find("other.py", 1, true)')
  nvim:keys('ga')
  nvim:wait_pending(0)

  local said = nvim:wait_said('1 change accepted.')
  eq('1 change accepted.', said)
  for _, name in ipairs({ 'calc.py', 'new.py', 'other.py' }) do
    nvim:edit(name)
    eq({ '', '' }, { nvim:get('vim.fn.maparg("]g", "n")'), nvim:get('vim.fn.maparg("ga", "n")') }, name)
  end
end)

test('the quickfix list holds what is pending, in all files', function()
  local nvim = reviewing('everywhere')

  nvim:ex('Agent review')
  nvim:wait('the list', 'vim.fn.getqflist({ winid = 0 }).winid > 0')
  local list = nvim:lua([[return vim.tbl_map(function(item)
    return { vim.fs.basename(vim.api.nvim_buf_get_name(item.bufnr)), item.lnum, item.text }
  end, vim.fn.getqflist())]])

  eq(
    { 'calc.py', 'calc.py', 'new.py', 'other.py' },
    vim.tbl_map(function(item)
      return item[1]
    end, list)
  )
  eq(
    { 2, 10, 1, 1 },
    vim.tbl_map(function(item)
      return item[2]
    end, list)
  )
  has('[verified] The sum was a difference.', list[1][3])
end)

test('a new file is shown before it exists, and a file that is not open is changed by an accept', function()
  local nvim = reviewing('elsewhere')

  nvim:ex('Agent next')
  nvim:wait('the preview', 'vim.api.nvim_buf_get_name(0):find("new.py", 1, true)')
  eq('y = 3', nvim:text())
  has('new file', nvim:drawn()[1])
  eq(0, nvim:get('vim.fn.filereadable("new.py")'))
  nvim:keys('ga')
  nvim:wait_pending(1)
  eq('y = 3\n', child.read(nvim.root .. '/new.py'))
  nvim:wait(
    'the file in the place of its preview',
    'vim.api.nvim_buf_get_name(0) == vim.fn.getcwd() .. "/new.py"'
  )
  nvim:ex('Agent accept all')
  nvim:wait_said('Changed and not written yet: other.py')

  eq('x = 2', nvim:text('other.py'))
  eq('x = 1\n', child.read(nvim.root .. '/other.py'))
end)

test('the evidence window tells what was measured', function()
  local nvim = reviewing()

  nvim:keys(']ggK')
  local text = nvim:wait_float('the window')

  for _, wanted in ipairs({
    'verified',
    '2 tests were fixed.',
    'base',
    'patched',
    'sha256:0123',
    'python -m pytest',
    '3.5 s',
  }) do
    has(wanted, text)
  end
end)

test('hover and code actions work as everywhere', function()
  local nvim = reviewing()

  nvim:keys(']gK')
  local hover = nvim:wait_float('the hover')
  has('return a + b', hover)
  nvim:lua([[
    vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.title == 'Agent: accept' end })
  ]])
  nvim:wait_pending(1)

  eq(CALC:gsub('a %- b', 'a + b', 1), nvim:text() .. '\n')
end)

test('accepting all of what is not verified asks first', function()
  local nvim = reviewing('untested')
  nvim:lua([[
    asked = {}
    vim.ui.select = function(items, opts, on_choice)
      table.insert(asked, opts.prompt)
      on_choice(#asked == 1 and items[2] or items[1])
    end
  ]])

  nvim:ex('Agent accept all')
  nvim:wait_said('Nothing was decided')
  eq(CALC, nvim:text() .. '\n')
  nvim:ex('Agent accept all')
  nvim:wait_said('2 changes accepted')

  has('not covered', nvim:get('asked')[1])
  eq(FIXED, nvim:text() .. '\n')
end)

test('accepting the rest asks first where a change was rejected that was measured with it', function()
  local nvim = reviewing()
  nvim:lua([[
    asked = {}
    vim.ui.select = function(items, opts, on_choice)
      table.insert(asked, opts.prompt)
      on_choice(items[2])
    end
  ]])

  nvim:ex('2')
  nvim:ex('Agent reject')
  nvim:wait_pending(1)
  nvim:ex('Agent accept all')
  nvim:wait_said('Nothing was decided')

  local question = 'The tests ran with other changes or lines: some were rejected or edited since.'
  eq({ question .. ' Accept all of it anyway?' }, nvim:get('asked'))
  eq(CALC, nvim:text() .. '\n')
end)

test('an accept into a buffer that cannot simply be written says so', function()
  local nvim = reviewing()

  nvim:lua('vim.bo.readonly = true')
  nvim:ex('2')
  nvim:keys('ga')
  eq('1 change accepted. calc.py is read-only: :w! writes it.', nvim:wait_said('1 change accepted'))
  nvim:lua('vim.bo.readonly = false')
  vim.uv.fs_unlink(nvim.root .. '/calc.py')
  nvim:ex('10')
  nvim:keys('ga')

  has('1 change accepted. calc.py is gone from the disk: :w makes it anew.', nvim:wait_said('is gone from'))
end)

test('a new measurement says at once that it works', function()
  local nvim = reviewing()
  nvim:ex('Agent accept all')
  nvim:wait_said('2 changes accepted')

  nvim:ex('Agent verify')
  nvim:wait_said('Measured again')

  local said = nvim:said()
  eq('The tests run; what comes of it follows.', said[#said - 1])
end)

suite.run(child.stop_all, child.wait_all)
