-- Asking for work: plans, questions, cancelling, several folders; the server is real, its agent plays a script.
local child = require('child')
local suite = require('suite')
local test, eq, has = suite.test, suite.eq, suite.has

local CALC = 'def add(a, b):\n    return a - b\n'
local FIXED = CALC:gsub('a %- b', 'a + b')

local PROPOSE = { ['do'] = 'propose', summary = 'Fix the sum', files = { ['calc.py'] = FIXED } }
local PLANNED = {
  plan = {
    { number = 1, intent = 'Fix the sum', files = { 'calc.py' }, checks = { 'test_calc.py::test_add' } },
    { number = 2, intent = 'Tidy up' },
  },
  steps = { PROPOSE },
}

local ASKING = { ['do'] = 'ask', text = 'Which one?', options = { 'left', 'right' } }

local SCRIPT = {
  planned = PLANNED,
  sums = { steps = { PROPOSE } },
  ask = { steps = { ASKING, PROPOSE } },
  words = { steps = { { ['do'] = 'ask', text = 'How much?', options = {} }, PROPOSE } },
  may = { steps = { { ['do'] = 'ask', text = 'May I?', permission = true }, PROPOSE } },
  wait = { steps = { { ['do'] = 'event', data = { text = 'waiting here' } }, { ['do'] = 'wait' } } },
  broken = { steps = { { ['do'] = 'fail', message = 'It broke.' } } },
}

---@return Child
local function open()
  local nvim = child.shared({ ['calc.py'] = CALC }, SCRIPT)
  nvim:edit('calc.py')
  return nvim
end

--- Answer `vim.ui.select` with an item by its number, and `vim.ui.input` with a text.
---@param nvim Child
local function answer(nvim, number, text)
  nvim:lua(
    [[
      local number, text = ...
      asked = {}
      vim.ui.select = function(items, opts, on_choice)
        table.insert(asked, opts.prompt)
        on_choice(items[number], number)
      end
      vim.ui.input = function(opts, on_confirm)
        table.insert(asked, opts.prompt)
        on_confirm(text)
      end
    ]],
    number,
    text
  )
end

--- Close the question of a run: what is picked is not there, and nothing is what is typed.
---@param request string
---@return Child
---@return string said what the client says then
local function open_and_close_question(request)
  local nvim = open()
  answer(nvim, 99, nil)
  nvim:ex('Agent implement ' .. request)
  nvim:wait_said('The agent asks')
  nvim:ex('Agent answer')
  return nvim, nvim:wait_said(':Agent answer asks again')
end

---@param nvim Child
---@return table
local function newest_run(nvim)
  return nvim:lua([[
    local client = vim.lsp.get_clients({ name = 'greenline' })[1]
    return client:request_sync('agent/runs', { limit = 1 }, 10000, 0).result.runs[1]
  ]])
end

---@param nvim Child
---@return string
local function events_of_newest(nvim)
  local run = nvim:lua(
    [[
    local client = vim.lsp.get_clients({ name = 'greenline' })[1]
    return client:request_sync('agent/run', { runId = ... }, 10000, 0).result
  ]],
    newest_run(nvim).id
  )
  return vim.inspect(run.events)
end

test('a plan is edited and written: it is revised, and then carried out', function()
  local nvim = open()

  nvim:ex('Agent plan planned')
  nvim:wait('the plan', 'vim.bo.buftype == "acwrite"')
  has('# Plan: planned', nvim:text())
  has('- check: test_calc.py::test_add', nvim:text())
  nvim:keys('/Tidy up<CR>ddo## Say why in a comment<CR>- file: calc.py<Esc>')
  nvim:ex('write')
  nvim:wait_said('proposed')
  local plan = newest_run(nvim).plan

  eq(2, plan.version)
  eq({ 'Fix the sum', 'Say why in a comment' }, { plan.entries[1].intent, plan.entries[2].intent })
  eq({ 'calc.py' }, plan.entries[2].files)
  eq(false, nvim:get('vim.bo.modified'))
  has('## 2. Say why in a comment', nvim:text())
end)

test('a plan that is written as it is, is carried out as it is', function()
  local nvim = open()

  nvim:ex('Agent plan planned')
  nvim:wait('the plan', 'vim.bo.buftype == "acwrite"')
  nvim:ex('wq')
  nvim:wait_said('proposed')

  eq(1, newest_run(nvim).plan.version)
end)

test('a plan that is written twice at once is revised and carried out once', function()
  local nvim = open()

  nvim:ex('Agent plan planned')
  nvim:wait('the plan', 'vim.bo.buftype == "acwrite"')
  nvim:lua([[
    vim.fn.search('Tidy up')
    vim.cmd('normal! ddo## Say why')
    vim.cmd('write')
    vim.cmd('write')
  ]])
  nvim:wait_said('is being carried out already')
  nvim:wait_said('proposed')

  eq(2, newest_run(nvim).plan.version)
end)

test('a plan that could not be sent is said, and can be written again', function()
  local nvim = open()

  nvim:ex('Agent plan planned')
  nvim:wait('the plan', 'vim.bo.buftype == "acwrite"')
  nvim:lua([[
    local client = vim.lsp.get_clients({ name = 'greenline' })[1]
    client.request = function() return false end
  ]])
  nvim:ex('write')
  nvim:wait_said('The server is not running')
  nvim:lua("vim.lsp.get_clients({ name = 'greenline' })[1].request = nil")
  nvim:ex('write')

  nvim:wait_said('proposed')
end)

test('a plan takes the focus from nobody who went on typing', function()
  local nvim = open()

  nvim:keys('Go')
  nvim:lua("require('greenline.job').plan('planned', { bufnr = 0 })")
  nvim:keys('# one')
  nvim:wait_said('The plan is in the window below')
  nvim:keys('# two<Esc>')
  nvim:wait('the mode to end', 'vim.api.nvim_get_mode().mode == "n"')

  eq(CALC .. '# one# two', nvim:text())
  eq(2, nvim:get('vim.fn.winnr("$")'))
  nvim:ex('wincmd b')
  has('# Plan: planned', nvim:text())
  nvim:ex('write')
  nvim:wait_said('proposed')
end)

test('a plan without a step is refused, and one that is left is not carried out', function()
  local nvim = open()

  nvim:ex('Agent plan planned')
  nvim:wait('the plan', 'vim.bo.buftype == "acwrite"')
  nvim:keys('gg/## <CR>dG')
  nvim:ex('write')
  nvim:wait_said('no step left')
  nvim:ex('q!')
  nvim:wait('the plan to close', 'vim.bo.buftype == ""')

  eq('awaitingApproval', newest_run(nvim).state)
end)

test('a plan that is open and edited is shown so from the list of runs; what was left is as it was', function()
  local nvim = open()
  answer(nvim, 1, '')
  nvim:ex('Agent plan planned')
  nvim:wait('the plan', 'vim.bo.buftype == "acwrite"')

  nvim:keys('Go## My own step<Esc>')
  nvim:ex('wincmd p')
  nvim:ex('Agent runs')
  nvim:wait_said('shown as you edited it')
  has('## My own step', nvim:text())
  eq({ 2, true }, { nvim:get('vim.fn.winnr("$")'), nvim:get('vim.bo.modified') })
  nvim:ex('q!')
  nvim:wait('the plan to close', 'vim.bo.buftype == ""')
  nvim:ex('Agent runs')
  nvim:wait('the plan', 'vim.bo.buftype == "acwrite"')

  has('## 2. Tidy up', nvim:text())
  eq(nil, nvim:text():find('My own step', 1, true))
end)

test('a question is asked once, and its answer goes on', function()
  local nvim = open()
  answer(nvim, 2, '')

  nvim:ex('Agent implement ask')
  nvim:wait_said('The agent asks (:Agent answer): Which one?')
  nvim:wait('the status line', [[require('greenline').statusline():find('a question waits', 1, true)]])
  nvim:ex('Agent answer')
  nvim:wait_said('proposed')

  eq({ 'Which one?' }, nvim:get('asked'))
  has('answered: right', events_of_newest(nvim))
end)

test('a question without options is answered in words, and a permission that is closed is refused', function()
  local nvim = open()
  answer(nvim, 9, 'plenty')

  nvim:ex('Agent implement words')
  nvim:wait_said('The agent asks (:Agent answer)')
  nvim:ex('Agent answer')
  nvim:wait_said('proposed')
  nvim:ex('Agent reject all')
  nvim:wait_pending(0)
  nvim:ex('Agent implement may')
  nvim:wait_said('The agent asks for permission (:Agent answer): May I?')
  nvim:ex('Agent answer')
  nvim:wait_pending(1)

  eq({ 'How much? ', 'May I?' }, nvim:get('asked'))
  has('answered: rejectOnce', events_of_newest(nvim))
end)

test('what is typed while the agent asks goes into the text and answers nothing', function()
  local nvim = open()

  nvim:keys('Go')
  nvim:lua([[
    local client = vim.lsp.get_clients({ name = 'greenline' })[1]
    client:request('agent/execute', { request = 'may' }, function() end, 0)
  ]])
  nvim:wait_said('The agent asks for permission')
  nvim:keys('2<CR>2<CR>end<Esc>')
  nvim:wait('the mode to end', 'vim.api.nvim_get_mode().mode == "n"')

  eq(CALC .. '2\n2\nend', nvim:text())
  eq('needsInput', newest_run(nvim).state)
  nvim:wait('the words again', [[#vim.tbl_filter(function(item)
    return vim.startswith(item.text, 'The agent asks for permission')
  end, require('greenline.say').history) == 2]])
  has('Greenline: The agent asks', table.concat(nvim:screen(), '\n'))
  answer(nvim, 3, '')
  nvim:ex('Agent answer')
  nvim:wait_pending(1)
  has('answered: rejectOnce', events_of_newest(nvim))
end)

test('a question that is closed waits, is told of, and is asked again', function()
  local nvim, said = open_and_close_question('ask')

  has('Which one?', said)
  nvim:ex('Agent status')
  has('Question  Which one?', nvim:wait_float('the status'))
  nvim:ex('fclose!')
  answer(nvim, 2, '')
  nvim:ex('Agent answer')
  nvim:wait_said('proposed')

  has('answered: right', events_of_newest(nvim))
  nvim:ex('Agent answer')
  nvim:wait_said('No question waits for an answer.')
end)

test('a question of a run that was cancelled is not asked again', function()
  local nvim = open_and_close_question('words')

  nvim:ex('Agent cancel')
  nvim:wait_said('Cancelled')
  nvim:ex('Agent answer')

  nvim:wait_said('No question waits for an answer.')
end)

test('cancel ends what is running', function()
  local nvim = open()

  nvim:ex('Agent implement wait')
  nvim:wait('the progress', [[require('greenline').statusline():find('working', 1, true)]])
  nvim:wait('a token', [[#require('greenline.status').tokens(vim.lsp.get_clients()[1].id) > 0]])
  nvim:ex('Agent cancel')
  nvim:wait_said('Cancelled; :Agent resume goes on')

  eq('cancelled', newest_run(nvim).state)
  eq(1, nvim:count_said('Cancelled'))
  nvim:ex('Agent cancel')
  nvim:wait_said('Nothing is running.')
end)

test('a run that is taken up again says how it ends', function()
  local nvim = open()
  nvim:ex('Agent implement ask')
  nvim:wait_said('The agent asks')
  nvim:ex('Agent cancel')
  nvim:wait_said('Cancelled; :Agent resume goes on')

  nvim:ex('Agent resume')
  nvim:wait_said('The run goes on: ')
  nvim:wait('the question', [[#require('greenline.question').waiting(vim.lsp.get_clients()[1].id) > 0]])
  answer(nvim, 1, '')
  nvim:ex('Agent answer')

  nvim:wait_said('1 change proposed, verified')
end)

test('what goes wrong is said with its remedy', function()
  local nvim = open()

  nvim:ex('Agent implement broken')
  eq('It broke. Change the script.', nvim:wait_said('It broke.'))
  nvim:ex('Agent implement something else')
  has('Name a model', nvim:wait_said('No model is configured'))
  nvim:ex('Agent frobnicate')

  has('implement', nvim:wait_said('has no subcommand "frobnicate"'))
  nvim:ex('Agent accept half')
  nvim:wait_said('takes all, file or hunk')
  nvim:ex('Agent accept')
  nvim:wait_said('No pending change is here.')
  eq('n', nvim:get('vim.api.nvim_get_mode().mode'))
end)

test('a buffer that is no file is told so by what is about one', function()
  local nvim = open()
  nvim:ex('enew')

  nvim:ex('Agent tests')
  nvim:wait_said('This buffer shows no file')
  nvim:ex('Agent explain')
  nvim:ex('Agent frobnicate')
  nvim:wait_said('has no subcommand')

  eq(2, nvim:count_said('This buffer shows no file'))
end)

test('the command completes its subcommands and scopes', function()
  local nvim = open()

  eq({ 'accept', 'answer' }, vim.list_slice(nvim:get('vim.fn.getcompletion("Agent ", "cmdline")'), 1, 2))
  local begun = nvim:get('vim.fn.getcompletion("Agent r", "cmdline")')
  eq({ 'reject', 'restart', 'resume', 'review', 'runs' }, begun)
  eq({ 'all', 'file', 'hunk' }, nvim:get('vim.fn.getcompletion("Agent accept ", "cmdline")'))
  eq({ 'file' }, nvim:get('vim.fn.getcompletion("Agent reject f", "cmdline")'))
  eq({}, nvim:get('vim.fn.getcompletion("Agent plan x", "cmdline")'))
end)

test('a selection and its diagnostics are the context of a request', function()
  local nvim = open()
  nvim:lua([[
    local problem = { lnum = 1, col = 0, message = 'the sum is wrong', severity = 1, source = 'other' }
    vim.diagnostic.set(vim.api.nvim_create_namespace('other'), 0, { problem })
    local client = vim.lsp.get_clients({ name = 'greenline', bufnr = 0 })[1]
    local request = client.request
    sent = nil
    client.request = function(self, method, params, ...)
      sent = method == 'agent/execute' and params or sent
      return request(self, method, params, ...)
    end
  ]])

  nvim:keys('ggjVj:Agent implement sums<CR>')
  nvim:wait_said('proposed')
  local context = nvim:get('sent.context')

  eq({ 1, 2 }, { context.range.start.line, context.range['end'].line })
  eq({ 'the sum is wrong' }, context.diagnostics)
  nvim:ex('2')
  nvim:ex('Agent fix')
  nvim:wait('the request', [[sent.request == 'Fix this problem: the sum is wrong']])
end)

test('what is not saved is what the proposal is made for', function()
  local nvim = open()

  nvim:lua('vim.api.nvim_buf_set_lines(0, 0, 0, false, { "# not saved" })')
  nvim:ex('Agent implement sums')
  nvim:wait_said('proposed')
  nvim:ex('Agent accept all')
  nvim:wait_said('accepted')

  eq(FIXED, nvim:text() .. '\n')
  eq(CALC, child.read(nvim.root .. '/calc.py'))
end)

test('each project has its own server, and a folder that is added is one more root', function()
  local nvim = open()
  local other = nvim.folder .. '/second'
  child.write(other .. '/.git/HEAD', '')
  child.write(other .. '/calc.py', CALC)

  nvim:ex('Agent implement sums')
  nvim:wait_pending(1)
  nvim:edit(other .. '/calc.py')
  eq(2, nvim:get("#vim.lsp.get_clients({ name = 'greenline' })"))
  eq({}, nvim:drawn())
  nvim:ex('Agent implement sums')
  nvim:wait_pending(2)
  nvim:ex('Agent accept all')
  nvim:wait_pending(1)
  eq({ FIXED, CALC }, { nvim:text(other .. '/calc.py') .. '\n', nvim:text(nvim.root .. '/calc.py') .. '\n' })
  nvim:lua('vim.lsp.buf.add_workspace_folder(...)', nvim.folder)
  local roots = nvim:wait(
    'both folders',
    [[(function()
    local client = vim.lsp.get_clients({ name = 'greenline', bufnr = 0 })[1]
    local roots = client:request_sync('agent/status', vim.empty_dict(), 10000, 0).result.roots
    return #roots == 2 and roots
  end)()]]
  )

  has(nvim.folder, roots[2])
end)

test('explain and its code action tell about the lines', function()
  local nvim = open()

  nvim:ex('Agent explain')
  has('Nothing is known about line 1', nvim:wait_float('the words'))
  nvim:ex('Agent implement sums')
  nvim:wait_said('proposed')
  nvim:keys(']g')
  nvim:wait('the cursor on the hunk', 'vim.fn.line(".") == 2')
  nvim:lua([[
    vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.title == 'Agent: explain' end })
  ]])

  has('return a + b', nvim:wait_float('the explanation'))
end)

test('runs are listed and shown, and so is the status', function()
  local nvim = open()
  answer(nvim, 1, '')
  nvim:ex('Agent implement planned')
  nvim:wait_said('proposed')

  nvim:wait('the status line', [[require('greenline').statusline():find('1 pending change', 1, true)]])
  nvim:ex('Agent runs')
  nvim:wait('the run', [[vim.api.nvim_buf_get_name(0):find('greenline://run/', 1, true)]])
  for _, wanted in ipairs({ '# planned', 'proposed', '1. Fix the sum', '- calc.py:2 pending' }) do
    has(wanted, nvim:text())
  end
  nvim:ex('close')
  nvim:ex('Agent status')
  local status = nvim:wait_float('the status')

  has('Sandbox   scripted', status)
  has('Pending   1 change', status)
end)

test('older runs follow page by page', function()
  local nvim = open()
  nvim:lua([[
    local client = vim.lsp.get_clients({ name = 'greenline' })[1]
    for _ = 1, 52 do
      client:request_sync('agent/execute', { request = 'broken' }, 10000, 0)
    end
    pages = {}
    vim.ui.select = function(items, opts, on_choice)
      table.insert(pages, { #items, opts.format_item(items[#items]), opts.prompt })
      on_choice(#pages == 1 and items[#items] or items[1])
    end
  ]])

  nvim:ex('Agent runs')
  nvim:wait('the run', [[vim.api.nvim_buf_get_name(0):find('greenline://run/', 1, true)]])

  local first, second = unpack(nvim:get('pages'))
  eq({ 51, 'Older runs …', 'Runs, the newest first' }, first)
  eq('Older runs, the newest first', second[3])
  has('# broken', nvim:text())
end)

suite.run(child.stop_all, child.wait_all)
