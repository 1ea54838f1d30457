-- What a person sees: the screen itself, kept as a picture for the documentation.
local child = require('child')
local suite = require('suite')
local test, eq, has = suite.test, suite.eq, suite.has

local SHOP = [[
"""Prices of the shop."""

STEPS = [(100, 15), (50, 10), (10, 5)]


def discount(quantity):
    """Return the discount in percent; a step begins with its own number of pieces."""
    for pieces, percent in STEPS:
        if quantity > pieces:
            return percent
    return 0
]]

local EVIDENCE = {
  verdict = 'verified',
  reason = '',
  detail = '13 tests pass, 1 of them failed before: test_shop.py::test_a_step_begins_with_its_number.',
  fixed = { 'test_shop.py::test_a_step_begins_with_its_number' },
  engine = 'docker 28.2.2',
  image = 'sha256:274dc2db7a09',
  command = { 'python', '-m', 'pytest' },
  durationS = 3.1,
  base = {
    ['end'] = 'complete',
    durationS = 0.44,
    tests = { { id = 'a', outcome = 'failed' }, { id = 'b', outcome = 'passed' } },
  },
  patched = {
    ['end'] = 'complete',
    durationS = 0.42,
    tests = { { id = 'a', outcome = 'passed' }, { id = 'b', outcome = 'passed' } },
  },
}

---@param text string
---@return Child
local function reviewing(text, after)
  local folder, root = child.project({ ['shop.py'] = text })
  local step = {
    ['do'] = 'propose',
    summary = 'Mend the steps',
    why = 'A step begins with its own number.',
    files = { ['shop.py'] = after },
    evidence = EVIDENCE,
  }
  local cmd = child.scripted(folder, { steps = { steps = { step } } })
  local nvim = child.start({
    folder = folder,
    root = root,
    cmd = cmd,
    lines = 26,
    columns = 96,
    before = 'vim.o.termguicolors = true vim.o.ruler = false vim.o.showcmd = false',
  })
  -- Neovim has true colours only for a screen that is attached.
  vim.rpcrequest(nvim.channel, 'nvim_ui_attach', 96, 26, { rgb = true })
  nvim:edit('shop.py')
  nvim:ex('Agent implement steps')
  nvim:wait_said('proposed')
  return nvim
end

---@param text string
---@return string
local function escaped(text)
  return (text:gsub('&', '&amp;'):gsub('<', '&lt;'):gsub('>', '&gt;'))
end

local WIDTH, HEIGHT, PAD = 8.4, 19, 10

---@param picture { cells: { [1]: string, [2]: table }[][], fg: integer, bg: integer }
---@return string
local function svg(picture)
  local n_columns, n_rows = #picture.cells[1], #picture.cells
  local width, height = n_columns * WIDTH + 2 * PAD, n_rows * HEIGHT + 2 * PAD
  local out = {
    ('<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="monospace" font-size="14">'):format(
      width,
      height
    ),
    ('<rect width="100%%" height="100%%" rx="6" fill="#%06x"/>'):format(picture.bg),
  }
  for row, cells in ipairs(picture.cells) do
    local column = 1
    while column <= n_columns do
      local first, style = column, cells[column][2]
      local text = ''
      while column <= n_columns and vim.deep_equal(cells[column][2], style) do
        text = text .. cells[column][1]
        column = column + 1
      end
      local x, y = PAD + (first - 1) * WIDTH, PAD + (row - 1) * HEIGHT
      local fg, bg = style.foreground or picture.fg, style.background or picture.bg
      if style.reverse then
        fg, bg = bg, fg
      end
      if bg ~= picture.bg then
        table.insert(
          out,
          ('<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="#%06x"/>'):format(
            x,
            y,
            (column - first) * WIDTH,
            HEIGHT,
            bg
          )
        )
      end
      if text:find('%S') then
        local bold = style.bold and ' font-weight="bold"' or ''
        table.insert(
          out,
          ('<text x="%.1f" y="%d" fill="#%06x"%s xml:space="preserve" textLength="%.1f">%s</text>'):format(
            x,
            y + 14,
            fg,
            bold,
            (column - first) * WIDTH,
            escaped(text)
          )
        )
      end
    end
  end
  table.insert(out, '</svg>')
  return table.concat(out, '\n') .. '\n'
end

---@param nvim Child
---@return string
local function picture_of(nvim)
  -- The first look makes Neovim number its highlights anew, which shows only in what is drawn after it.
  nvim:lua('vim.api.nvim__inspect_cell(1, 0, 0)')
  nvim:lua("vim.cmd('redraw!')")
  local picture = nvim:lua([[
    vim.cmd('redraw!')
    local normal = vim.api.nvim_get_hl(0, { name = 'Normal' })
    local function cell_of(grid, row, column)
      local cell = vim.api.nvim__inspect_cell(grid, row, column)
      local style = cell[2] or {}
      return { cell[1] or ' ', {
        foreground = style.foreground, background = style.background,
        bold = style.bold, reverse = style.reverse,
      } }
    end
    local cells = {}
    for row = 0, vim.o.lines - 1 do
      cells[row + 1] = {}
      for column = 0, vim.o.columns - 1 do
        cells[row + 1][column + 1] = cell_of(1, row, column)
      end
    end
    -- A floating window with a border has a grid of its own.
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        local grid
        for number = 2, 100 do
          local ok, cell = pcall(vim.api.nvim__inspect_cell, number, 0, 0)
          grid = ok and cell[1] == '╭' and number or grid
        end
        local top, left = unpack(vim.api.nvim_win_get_position(window))
        for row = 0, vim.api.nvim_win_get_height(window) + 1 do
          for column = 0, vim.api.nvim_win_get_width(window) + 1 do
            if cells[top + row + 1] then
              cells[top + row + 1][left + column + 1] = cell_of(grid, row, column)
            end
          end
        end
      end
    end
    return { cells = cells, fg = normal.fg, bg = normal.bg }
  ]])
  return svg(picture)
end

--- Compare a picture with the one of the documentation; `GREENLINE_PICTURES=write` puts it there.
---@param name string
---@param picture string
local function check_picture(name, picture)
  local path = child.repository .. '/docs/images/' .. name
  if vim.env.GREENLINE_PICTURES == 'write' then
    child.write(path, picture)
  end
  local wanted = child.read(path)
  if wanted ~= picture then
    local seen = vim.env.GREENLINE_TEST_FOLDER .. '/' .. name
    child.write(seen, picture)
    error(
      ('%s is not what is on the screen, which is in %s; GREENLINE_PICTURES=write takes it'):format(
        path,
        seen
      )
    )
  end
end

test('the review and its evidence look as in the documentation', function()
  local nvim = reviewing(SHOP, (SHOP:gsub('quantity > pieces', 'quantity >= pieces')))

  nvim:keys('gg]g')
  nvim:wait('the cursor on the hunk', 'vim.fn.line(".") == 9')
  check_picture('neovim-review.svg', picture_of(nvim))
  nvim:keys('gK')
  nvim:wait_float('the evidence')

  check_picture('neovim-evidence.svg', picture_of(nvim))
end)

test('what would come before the first line is on the screen', function()
  local nvim = reviewing('x = 1\ny = 2\n', '"""A module."""\n\nx = 1\ny = 2\n')

  local screen = nvim:screen()

  has('-- Greenline 1/1', screen[1])
  has('"""A module."""', screen[2])
  eq('', vim.trim(screen[3]))
  has('x = 1', screen[4])
end)

---@param n integer
---@return string
local function numbered(n)
  local lines = {}
  for number = 1, n do
    lines[number] = ('x%d = %d\n'):format(number, number)
  end
  return table.concat(lines)
end

test('an insertion after the last line is on the screen, and is told about', function()
  local text = numbered(60)
  local nvim = reviewing(text, text .. 'y = 1\ny = 2\n')

  nvim:keys(']g')
  nvim:wait('the cursor on the last line', 'vim.fn.line(".") == 60')
  local screen = table.concat(nvim:screen(), '\n')
  for _, wanted in ipairs({ 'x60 = 60\n', '-- Greenline 1/1', 'y = 1', 'y = 2' }) do
    has(wanted, screen)
  end
  nvim:keys('K')

  has('y = 2', nvim:wait_float('the hover'))
end)

test('a hunk on the first line is on the screen with its head', function()
  local folder, root = child.project({ ['shop.py'] = SHOP, ['old.py'] = 'gone = True\n' })
  local files = { ['old.py'] = vim.NIL, ['shop.py'] = (SHOP:gsub('Prices of', 'Some prices of')) }
  local step = { ['do'] = 'propose', summary = 'Prices', files = files, evidence = EVIDENCE }
  local cmd = child.scripted(folder, { prices = { steps = { step } } })
  local nvim = child.start({ folder = folder, root = root, cmd = cmd, lines = 8, columns = 80 })
  nvim:edit('shop.py')
  nvim:ex('Agent implement prices')
  nvim:wait_said('proposed')

  nvim:keys('G]g')
  nvim:wait('the other file', 'vim.api.nvim_buf_get_name(0):find("old.py", 1, true)')
  has('deletes the file', nvim:screen()[1])
  eq('- gone = True', nvim:screen()[2])
  eq('old.py', nvim:get('vim.fn.bufname("%")'))
  nvim:keys(']g')
  nvim:wait('the first file', 'vim.api.nvim_buf_get_name(0):find("shop.py", 1, true)')

  has('-- Greenline 2/2', nvim:screen()[1])
  has('Some prices of', nvim:screen()[3])
end)

test('a hunk at the edge of the screen is shown whole', function()
  local text = numbered(60)
  local after = text:gsub('x30 = 30\n', 'x30 = 31\nz = 1\nz = 2\n'):gsub('x50 = 50\n', 'x50 = 51\n')
  local nvim = reviewing(text, after)

  -- The line is the last one of the window, and then the first one.
  nvim:keys('30Gzbk]g')
  nvim:wait('the cursor on the hunk', 'vim.fn.line(".") == 30')
  has('-- Greenline 1/2', table.concat(nvim:screen(), '\n'))
  has('z = 2', table.concat(nvim:screen(), '\n'))
  nvim:keys('50Gztj[g')
  nvim:wait('the cursor on the second hunk', 'vim.fn.line(".") == 50')

  has('-- Greenline 2/2', nvim:screen()[1])
  has('x50 = 51', nvim:screen()[3])
end)

suite.run(child.stop_all, child.wait_all)
