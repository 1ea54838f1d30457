-- Shows what is proposed, and decides about it; every decision is the server's to carry out.
local ask = require('greenline.client')
local draw = require('greenline.draw')
local edit = require('greenline.edit')
local keys = require('greenline.keys')
local move = require('greenline.move')
local place = require('greenline.place')
local proposal = require('greenline.proposal')
local say = require('greenline.say')
local taken = require('greenline.taken')
local words = require('greenline.words')

local M = {}

---@param bufnr integer
---@return greenline.Waiting[]
local function items_of(bufnr)
  local uri = place.uri(bufnr)
  if uri == nil then
    return {}
  end
  local is_preview = vim.b[bufnr].greenline_uri ~= nil
  return vim.tbl_filter(function(item)
    -- A file that is to be made is drawn in its preview, unless an editor has its name open already.
    return place.same(item.hunk.uri, uri) and (item.hunk.op == 'create') == is_preview
      or (item.hunk.op == 'create' and item.hunk.state == 'conflicted' and place.same(item.hunk.uri, uri))
  end, proposal.waiting())
end

--- Draw what is proposed for a buffer.
---@param bufnr integer
function M.draw_buffer(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local items = items_of(bufnr)
  if #items == 0 then
    draw.clear(bufnr)
    if next(keys.mapped(bufnr)) and #proposal.waiting() > 0 then
      keys.only_moves(bufnr)
    else
      keys.remove(bufnr)
    end
    return
  end
  local set = keys.set(bufnr)
  if vim.b[bufnr].greenline_uri then
    -- The preview's text is the proposal itself; only its header is drawn.
    items = vim.tbl_map(function(item)
      local shown = vim.tbl_extend('force', item.hunk, { after = '' })
      shown.range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 0 } }
      return { client_id = item.client_id, proposal = item.proposal, hunk = shown }
    end, items)
  end
  draw.draw(bufnr, items, set)
end

--- Draw the buffers of files anew.
---@param uris string[]
function M.draw_files(uris)
  local wanted = {}
  for _, uri in ipairs(uris) do
    wanted[uri] = true
  end
  -- The headers count all hunks, so that those of other files change too.
  for _, item in ipairs(proposal.waiting()) do
    wanted[item.hunk.uri] = true
  end
  for uri in pairs(wanted) do
    for _, find in ipairs({ place.loaded, place.preview }) do
      local bufnr = find(uri)
      if bufnr then
        M.draw_buffer(bufnr)
      end
    end
  end
  if #proposal.waiting() == 0 then
    keys.remove_all()
  end
end

---@param before greenline.Proposal?
---@param after greenline.Proposal
local function say_new_conflicts(before, after)
  local was = {}
  for _, hunk in ipairs(before and before.hunks or {}) do
    was[hunk.id] = hunk.state
  end
  local uris = {}
  for _, hunk in ipairs(after.hunks) do
    if hunk.state == 'conflicted' and was[hunk.id] == 'pending' then
      uris[hunk.uri] = true
    end
  end
  for uri in vim.spairs(uris) do
    local words_of_it = 'the text that a pending change replaces is gone. '
      .. 'Undo your edit to get it back, or reject the change.'
    say.say(('%s: %s'):format(words.file(uri), words_of_it), vim.log.levels.WARN)
  end
end

--- Take a proposal that the server sent.
---@param client_id integer
---@param sent greenline.Proposal
function M.changed(client_id, sent)
  local before, uris = proposal.put(client_id, sent)
  say_new_conflicts(before, sent)
  M.draw_files(uris)
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'GreenlineProposal',
    modeline = false,
    data = { client_id = client_id, proposal_id = sent.id },
  })
  require('greenline.status').redraw()
end

--- Take away what a server proposed that has ended.
---@param client_id integer
function M.forget(client_id)
  M.draw_files(proposal.forget(client_id))
end

--- Buffers whose text was read just now, within the same step of Neovim's.
---@type table<integer, true>
local just_read = {}

--- Draw a buffer that was read or renamed, and say so where the disk changed under pending hunks.
---@param bufnr integer
---@param event string
function M.buffer_read(bufnr, event)
  local items = items_of(bufnr)
  M.draw_buffer(bufnr)
  if event == 'BufReadPost' then
    just_read[bufnr] = true
    vim.schedule(function()
      just_read[bufnr] = nil
    end)
  end
  -- The event comes as well where the user kept the buffer, and where the file is gone.
  if event == 'FileChangedShellPost' and just_read[bufnr] and #items > 0 then
    say.say(
      ('%s changed on the disk and was read again; its pending changes follow, where the text that they replace is still there.'):format(
        vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':~:.')
      )
    )
  end
end

--- Return how to go on, where nothing waits in this buffer any more but something does elsewhere.
---@param decided string[] Ids of hunks that do not wait any more.
---@return string?
local function way_on(decided)
  local bufnr = vim.api.nvim_get_current_buf()
  local uri = place.uri(bufnr) or ''
  local n_left = 0
  for _, item in ipairs(proposal.waiting()) do
    if not vim.list_contains(decided, item.hunk.id) then
      if place.same(item.hunk.uri, uri) then
        return
      end
      n_left = n_left + 1
    end
  end
  if n_left > 0 then
    local key = keys.mapped(bufnr).next or ':Agent next'
    return ('%s goes on to %s in other files'):format(key, words.count(n_left, 'change'))
  end
end

---@param result table
---@param decision 'accept'|'reject'
---@param left string What is left to do, in sentences.
local function say_result(result, decision, left)
  local first = (result.conflicts or {})[1]
  if first then
    say.say(('Nothing was applied: %s: %s'):format(words.file(first.uri), first.reason), vim.log.levels.WARN)
    return
  end
  local decided = vim.list_extend(vim.list_slice(result.applied or {}), result.rejected or {})
  local n = #decided
  if n == 0 then
    say.say('Nothing was decided.')
    return
  end
  local text = words.count(n, 'change') .. (decision == 'accept' and ' accepted' or ' rejected')
  local need = (result.needs or {})[1]
  if need then
    text = ('%s; the one in %s makes no sense without %s'):format(
      text,
      words.file(need.uri),
      words.count(#need.needs, 'other')
    )
  end
  local on = way_on(decided)
  say.say(text .. (on and '; ' .. on or '') .. '.' .. left)
end

---@param items greenline.Waiting[]
---@param decision 'accept'|'reject'
---@param name string
---@param argument table
local function send(items, decision, name, argument)
  local client = vim.lsp.get_client_by_id(items[1].client_id)
  if client == nil then
    say.say('The server that proposed this has ended; :Agent restart starts it again.', vim.log.levels.ERROR)
    return
  end
  local uris = vim.tbl_map(function(item)
    return item.hunk.uri
  end, items)
  local function settle()
    local left = edit.done()
    for _, uri in ipairs(uris) do
      local made = place.replace_preview(uri)
      if made then
        keys.only_moves(made)
      end
    end
    M.draw_files(uris)
    return left
  end
  if decision == 'accept' then
    edit.refresh_from_disk(uris)
  end
  ask.command(client, name, argument, function(result)
    say_result(result, decision, settle())
  end, function(err)
    settle()
    say.error(err)
  end)
end

---@param scope string
---@return greenline.Waiting[]?
local function chosen(scope)
  if scope == 'all' then
    local client = ask.of()
    local items = proposal.waiting({ client_id = client and client.id })
    if #items == 0 then
      say.say('No change is pending.')
    end
    return #items > 0 and items or nil
  end
  local here = move.here()
  if here and scope == 'hunk' then
    return { here }
  end
  local uri = place.uri(vim.api.nvim_get_current_buf()) or ''
  local items = vim.tbl_filter(function(item)
    return place.same(item.hunk.uri, uri)
  end, proposal.waiting())
  if scope == 'file' and #items > 0 then
    return items
  end
  local hint = #proposal.waiting() > 0 and ' :Agent review lists what is pending.' or ''
  say.say(
    scope == 'file' and 'No change is pending in this file.' .. hint or 'No pending change is here.' .. hint
  )
end

---@type table<string, string>
local commands = { hunk = 'Hunk', file = 'File', all = 'All' }

--- Accept or reject the hunk under the cursor, those of this file, or all.
---@param decision 'accept'|'reject'
---@param scope 'hunk'|'file'|'all'
---@param comment? string Why; a run that follows is told.
function M.decide(decision, scope, comment)
  local items = chosen(scope)
  if items == nil then
    return
  end
  local groups = {}
  for _, item in ipairs(items) do
    groups[item.proposal.id] = groups[item.proposal.id] or {}
    table.insert(groups[item.proposal.id], item)
  end
  for proposal_id, group in vim.spairs(groups) do
    local argument = { proposalId = proposal_id }
    if scope == 'hunk' then
      argument.hunkId = group[1].hunk.id
    elseif scope == 'file' then
      argument.uri = group[1].hunk.uri
    end
    if decision == 'reject' and comment and comment ~= '' then
      argument.comment = comment
    end
    send(group, decision, decision .. commands[scope], argument)
  end
end

--- Ask why, and reject the hunk under the cursor.
function M.reject_with_comment()
  if move.here() == nil then
    M.decide('reject', 'hunk')
    return
  end
  vim.ui.input({ prompt = 'Why not (told to the next run): ' }, function(comment)
    if comment ~= nil then
      M.decide('reject', 'hunk', comment)
    end
  end)
end

--- Fill the quickfix list with what is pending, and open it.
function M.list()
  local items = proposal.waiting()
  if #items == 0 then
    say.say('No change is pending.')
    return
  end
  local entries = vim.tbl_map(function(item)
    local first = item.hunk.op == 'create' and 0 or (proposal.lines(item.hunk))
    local what = item.hunk.state == 'conflicted' and 'conflicted' or words.verdict(item.proposal)
    local why = item.hunk.why ~= '' and item.hunk.why or item.proposal.summary
    return {
      bufnr = place.buffer(item),
      lnum = first + 1,
      text = ('[%s] %s'):format(what, why or ''),
      type = item.hunk.state == 'conflicted' and 'E' or 'I',
    }
  end, items)
  vim.fn.setqflist({}, ' ', { title = 'Greenline: pending changes', items = entries })
  vim.cmd('botright copen')
  M.draw_files(vim.tbl_map(function(item)
    return item.hunk.uri
  end, items))
end

--- Take the accept back that `u` took back in this buffer, else the newest change; never over later edits.
function M.undo()
  local checkpoint_id = taken.checkpoint(vim.api.nvim_get_current_buf())
  if checkpoint_id then
    taken.forget(checkpoint_id)
  end
  ask.from(nil, 'agent/undo', { checkpointId = checkpoint_id }, function(result)
    vim.tbl_map(taken.forget, result.byHand or {})
    if not checkpoint_id then
      taken.forget_in(result.restored or {})
    end
    for _, conflict in ipairs(result.conflicts or {}) do
      local where = conflict.line and (', line %d'):format(conflict.line + 1) or ''
      say.say(
        ('Not undone: %s%s: %s'):format(words.file(conflict.uri), where, conflict.reason),
        vim.log.levels.WARN
      )
    end
    local n = #(result.restored or {})
    if n > 0 then
      say.say(('Undone in %s; what was taken back is pending again.'):format(words.count(n, 'file')))
    elseif #(result.byHand or {}) > 0 then
      say.say('The change was taken back already; it is pending again.')
    elseif #(result.conflicts or {}) == 0 then
      say.say('Nothing to undo: the newest change was taken back already.')
    end
    edit.done()
  end)
end

return M
