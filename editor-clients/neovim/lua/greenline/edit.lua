-- Puts the server's edits into buffers: each is all or nothing, and one step of `u` in every buffer.
local draw = require('greenline.draw')
local place = require('greenline.place')
local taken = require('greenline.taken')

local M = {}

--- Buffers that the last edits changed and that are not written, to be named once.
---@type table<integer, true>
local unwritten = {}

--- What the last edit left that `:w` alone does not do, in sentences.
---@type string[]
local notes = {}

--- Note what is in the way of writing a buffer that was changed.
---@param bufnr integer
local function note(bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  local name = vim.fn.fnamemodify(path, ':~:.')
  if vim.bo[bufnr].readonly then
    table.insert(notes, (' %s is read-only: :w! writes it.'):format(name))
  elseif not vim.uv.fs_stat(path) then
    table.insert(notes, (' %s is gone from the disk: :w makes it anew.'):format(name))
  end
end

--- End the buffer's open undo step: Neovim would join edits that follow without a key press.
---@param bufnr integer
local function break_undo(bufnr)
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
end

---@param uri string
---@param client vim.lsp.Client
---@return integer? bufnr
---@return string? failure
local function prepare(uri, client)
  local name = vim.fn.fnamemodify(vim.uri_to_fname(uri), ':~:.')
  local bufnr = place.loaded(uri)
  if bufnr == nil then
    bufnr = vim.uri_to_bufnr(uri)
    local ok, failure = pcall(vim.fn.bufload, bufnr)
    if not ok then
      return nil, ('%s could not be opened: %s'):format(name, failure)
    end
    vim.bo[bufnr].buflisted = true
    unwritten[bufnr] = true
  end
  if not vim.lsp.buf_is_attached(bufnr, client.id) then
    if vim.bo[bufnr].modified then
      return nil, name .. ' has changes that are not written, and Greenline does not follow it'
    end
    vim.lsp.buf_attach_client(bufnr, client.id)
  end
  if not vim.bo[bufnr].modifiable then
    return nil, name .. " cannot be changed ('modifiable' is off)"
  end
  return bufnr
end

--- Answer `workspace/applyEdit`.
---
--- Neovim's own handler says that it applied an edit for an older text though it did not.
---@param params lsp.ApplyWorkspaceEditParams
---@param ctx lsp.HandlerContext
---@return lsp.ApplyWorkspaceEditResult
function M.apply(_, params, ctx)
  local client = assert(vim.lsp.get_client_by_id(ctx.client_id))
  ---@type { bufnr: integer, edits: lsp.TextEdit[] }[]
  local steps = {}
  if params.edit.documentChanges == nil then
    return { applied = false, failureReason = 'This client takes documentChanges alone' }
  end
  for _, change in ipairs(params.edit.documentChanges) do
    if change.kind then
      return { applied = false, failureReason = ('This client does not %s files'):format(change.kind) }
    end
    local bufnr, failure = prepare(change.textDocument.uri, client)
    if bufnr == nil then
      return { applied = false, failureReason = failure }
    end
    -- A version that is null is `vim.NIL` in Neovim 0.12, and missing before.
    local version = tonumber(change.textDocument.version)
    if version and version ~= vim.lsp.util.buf_versions[bufnr] then
      local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':~:.')
      return { applied = false, failureReason = name .. ' was edited meanwhile' }
    end
    table.insert(steps, { bufnr = bufnr, edits = change.edits })
  end
  taken.begin()
  notes = {}
  for _, step in ipairs(steps) do
    -- What is drawn belongs to the old text; drawn over the new one it would flicker.
    draw.clear(step.bufnr)
    break_undo(step.bufnr)
    vim.lsp.util.apply_text_edits(step.edits, step.bufnr, client.offset_encoding)
    break_undo(step.bufnr)
    taken.edited(step.bufnr)
    note(step.bufnr)
    -- A request sends what the buffer holds now, so that the server need not wait for the next key press.
    client:request('agent/status', vim.empty_dict(), function() end, step.bufnr)
  end
  return { applied = true }
end

--- Read files again that changed on the disk, where no edit of the user's is in the way.
---@param uris string[]
function M.refresh_from_disk(uris)
  for _, uri in ipairs(uris) do
    local bufnr = place.loaded(uri)
    if bufnr and not vim.bo[bufnr].modified then
      vim.cmd.checktime(bufnr)
    end
  end
end

--- Say which buffers were opened to be changed and are not written; return what else the edit left to say.
---@return string
function M.done()
  local names = {}
  for bufnr in pairs(unwritten) do
    if vim.api.nvim_buf_is_valid(bufnr) and vim.bo[bufnr].modified and not vim.bo[bufnr].readonly then
      table.insert(names, vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':~:.'))
    end
  end
  unwritten = {}
  if #names > 0 then
    table.sort(names)
    require('greenline.say').say(
      ('Changed and not written yet: %s; :wall writes all.'):format(table.concat(names, ', '))
    )
  end
  local left = table.concat(notes)
  notes = {}
  -- An accept that follows may need no edit, as of a new file.
  taken.begin()
  return left
end

return M
