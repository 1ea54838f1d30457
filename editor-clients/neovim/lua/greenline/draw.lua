-- Draws hunks beside the text. Invariant: nothing here changes a buffer that holds a file.
local config = require('greenline.config')
local proposal = require('greenline.proposal')
local words = require('greenline.words')

local M = {}

M.namespace = vim.api.nvim_create_namespace('greenline')

--- Makes the background of a drawn line reach the edge of a window.
local WIDE = 400

--- Define the highlight groups as links, which a colour scheme or a user may set.
function M.define_highlights()
  for name, link in pairs({
    GreenlineAdd = 'DiffAdd',
    GreenlineDelete = 'DiffDelete',
    GreenlineHeader = 'Title',
    GreenlineVerified = 'DiagnosticOk',
    GreenlineUnverified = 'DiagnosticWarn',
    GreenlineConflict = 'DiagnosticError',
    GreenlineHint = 'Comment',
  }) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

--- Return a text's lines, as they are drawn.
---@param text string
---@param tabstop integer
---@return string[]
function M.lines_of(text, tabstop)
  if text == '' then
    return {}
  end
  local lines = vim.split((text:gsub('\r\n', '\n')), '\n', { plain = true })
  if lines[#lines] == '' then
    table.remove(lines)
  end
  return vim.tbl_map(function(line)
    return (line:gsub('\t', (' '):rep(tabstop)))
  end, lines)
end

---@param item greenline.Waiting
---@param place integer
---@param n integer
---@param keys table<string, string>
---@return [string, string][]
local function header(item, place, n, keys)
  local found, hunk = item.proposal, item.hunk
  local is_good = found.verdict == 'verified'
    and found.evidence.currency ~= 'partial'
    and not found.evidence.selection
  local mark = config.get().icons and (is_good and '✓ ' or '! ') or ''
  local chunks = { { ('-- Greenline %d/%d · '):format(place, n), 'GreenlineHeader' } }
  if hunk.state == 'conflicted' then
    table.insert(
      chunks,
      { 'the text that it replaces is gone: reject it, or undo your edit', 'GreenlineConflict' }
    )
  else
    local group = is_good and 'GreenlineVerified' or 'GreenlineUnverified'
    table.insert(chunks, { mark .. words.verdict(found), group })
  end
  local what = {
    hunk.op == 'create' and 'new file' or nil,
    hunk.op == 'delete' and 'deletes the file' or nil,
    hunk.mode and ('mode %o'):format(hunk.mode) or nil,
  }
  for _, word in pairs(what) do
    table.insert(chunks, { ' · ' .. word, 'GreenlineHeader' })
  end
  local hints = {}
  for _, action in ipairs({ 'accept', 'reject', 'evidence', 'next' }) do
    if keys[action] and not (action == 'accept' and hunk.state == 'conflicted') then
      table.insert(hints, keys[action] .. ' ' .. action)
    end
  end
  table.insert(
    chunks,
    { ' · ' .. (#hints > 0 and table.concat(hints, '  ') or ':Agent accept|reject'), 'GreenlineHint' }
  )
  return chunks
end

---@param bufnr integer
---@param row integer
---@param above boolean
---@param lines [string, string][][]
---@param rows table<integer, integer> Takes the mark and its row.
local function virtual(bufnr, row, above, lines, rows)
  local mark = vim.api.nvim_buf_set_extmark(bufnr, M.namespace, row, 0, {
    virt_lines = lines,
    virt_lines_above = above,
    -- Two hunks at one place are drawn in their order.
    right_gravity = not above,
  })
  rows[mark] = row
end

---@param bufnr integer
---@param item greenline.Waiting
---@param place integer
---@param n integer
---@param keys table<string, string>
---@return integer above How many lines are drawn above the first one of the buffer.
---@return table<integer, integer> rows Mark → its row.
local function draw_one(bufnr, item, place, n, keys)
  local rows = {}
  local last_row = vim.api.nvim_buf_line_count(bufnr) - 1
  local first, after = proposal.lines(item.hunk)
  local head = header(item, place, n, keys)
  if item.hunk.state == 'conflicted' then
    local row = math.min(first, last_row)
    virtual(bufnr, row, true, { head }, rows)
    return row == 0 and 1 or 0, rows
  end
  for row = first, math.min(after - 1, last_row) do
    local mark = vim.api.nvim_buf_set_extmark(bufnr, M.namespace, row, 0, {
      line_hl_group = 'GreenlineDelete',
      sign_text = '-',
      sign_hl_group = 'GreenlineConflict',
    })
    rows[mark] = row
  end
  local added = vim.tbl_map(function(line)
    return { { line .. (' '):rep(math.max(0, WIDE - vim.fn.strdisplaywidth(line))), 'GreenlineAdd' } }
  end, M.lines_of(item.hunk.after, vim.bo[bufnr].tabstop))
  if after > first and first <= last_row then
    virtual(bufnr, first, true, { head }, rows)
    if #added > 0 then
      virtual(bufnr, math.min(after - 1, last_row), false, added, rows)
    end
    return first == 0 and 1 or 0, rows
  end
  table.insert(added, 1, head)
  if first == 0 then
    virtual(bufnr, 0, true, added, rows)
    return #added, rows
  end
  virtual(bufnr, math.min(first - 1, last_row), false, added, rows)
  return 0, rows
end

--- Show the lines above the first one of a buffer, which Neovim leaves above the window.
---@param bufnr integer
---@param n integer
local function reveal_top(bufnr, n)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    vim.api.nvim_win_call(window, function()
      if vim.fn.line('w0') == 1 then
        vim.fn.winrestview({ topline = 1, topfill = n })
      end
    end)
  end
end

---@class greenline.Drawing
---@field signature string What is drawn, whatever the lines.
---@field offsets table<string, table<integer, integer>> Hunk → mark → its row below the hunk's first.

--- What is drawn in each buffer: marks move along with the text, so that most changes need no drawing.
---@type table<integer, greenline.Drawing>
local drawings = {}

---@param bufnr integer
---@return table<integer, integer> rows Mark → its row now.
local function rows_of_marks(bufnr)
  local rows = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, M.namespace, 0, -1, {})) do
    rows[mark[1]] = mark[2]
  end
  return rows
end

---@param bufnr integer
---@param items greenline.Waiting[]
---@param signature string
---@return boolean
local function is_drawn(bufnr, items, signature)
  local drawing = drawings[bufnr]
  if drawing == nil or drawing.signature ~= signature then
    return false
  end
  local rows = rows_of_marks(bufnr)
  for _, item in ipairs(items) do
    local first = proposal.lines(item.hunk)
    for mark, offset in pairs(drawing.offsets[item.hunk.id]) do
      if rows[mark] ~= first + offset then
        return false
      end
    end
  end
  return true
end

---@param items greenline.Waiting[]
---@param places table<string, integer>
---@param n integer
---@param keys table<string, string>
---@return string
local function signature_of(items, places, n, keys)
  local parts = {}
  for _, item in ipairs(items) do
    table.insert(parts, item.hunk.id)
    for _, chunk in ipairs(header(item, places[item.hunk.id] or 1, n, keys)) do
      table.insert(parts, chunk[1])
    end
  end
  return table.concat(parts, '\n')
end

--- Draw hunks in a buffer, instead of those that are drawn there.
---@param bufnr integer
---@param items greenline.Waiting[]
---@param keys table<string, string> Action → key, as it is mapped in this buffer.
function M.draw(bufnr, items, keys)
  local places, n = {}, 0
  for _, item in ipairs(proposal.waiting()) do
    n = n + 1
    places[item.hunk.id] = n
  end
  local signature = signature_of(items, places, n, keys)
  if is_drawn(bufnr, items, signature) then
    return
  end
  vim.api.nvim_buf_clear_namespace(bufnr, M.namespace, 0, -1)
  local above, offsets = 0, {}
  for _, item in ipairs(items) do
    local first = proposal.lines(item.hunk)
    local n_above, rows = draw_one(bufnr, item, places[item.hunk.id] or 1, n, keys)
    above = above + n_above
    offsets[item.hunk.id] = {}
    for mark, row in pairs(rows) do
      offsets[item.hunk.id][mark] = row - first
    end
  end
  drawings[bufnr] = { signature = signature, offsets = offsets }
  if above > 0 then
    reveal_top(bufnr, above)
  end
end

--- Take away what is drawn in a buffer.
---@param bufnr integer
function M.clear(bufnr)
  drawings[bufnr] = nil
  vim.api.nvim_buf_clear_namespace(bufnr, M.namespace, 0, -1)
end

M.define_highlights()

return M
