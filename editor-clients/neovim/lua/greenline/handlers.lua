-- What the server sends, and its commands that are shown here.
local say = require('greenline.say')

local M = {}

---@type table<string, fun(client_id: integer, event: greenline.Event)>
local events = {
  state = function(client_id, event)
    require('greenline.status').run_changed(client_id, event.runId, event.data.state)
    require('greenline.plan').run_changed(event.runId, event.data.state)
    require('greenline.question').run_changed(event.runId, event.data.state)
    require('greenline.job').run_changed(client_id, event.runId, event.data.state)
    if event.data.state == 'cancelled' then
      -- Neovim drops the answer of a request that was cancelled, so that this is the only word of it.
      say.say('Cancelled; :Agent resume goes on with the run.')
    end
  end,
  plan = function(client_id, event)
    require('greenline.plan').changed(client_id, event.runId, event.data.plan)
  end,
  checkpoint = function(client_id, event)
    if event.data.question and event.data.waiting then
      require('greenline.question').ask(client_id, event.runId, { event.data.question })
    elseif event.data.decision then
      require('greenline.question').answered(event.data.checkpointId)
    elseif event.data.change == 'accept' then
      require('greenline.taken').accepted(event.data.checkpointId)
    end
  end,
}

---@type table<string, lsp.Handler>
M.notifications = {
  ['agent/event'] = function(_, params, ctx)
    local handle = events[params.kind]
    if handle then
      handle(ctx.client_id, params)
    end
  end,
  ['agent/proposalChanged'] = function(_, params, ctx)
    require('greenline.review').changed(ctx.client_id, params.proposal)
  end,
  ['agent/statusChanged'] = function(_, params, ctx)
    require('greenline.status').changed(ctx.client_id, params)
  end,
  ['workspace/applyEdit'] = function(err, params, ctx)
    return require('greenline.edit').apply(err, params, ctx)
  end,
  ['window/showMessage'] = function(_, params)
    local levels = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO, vim.log.levels.INFO }
    say.say(params.message, levels[params.type])
  end,
  -- Neovim's own puts a colon after the question.
  ['window/showMessageRequest'] = function(_, params)
    local asking = assert(coroutine.running())
    vim.ui.select(params.actions or {}, {
      prompt = params.message,
      kind = 'greenline',
      format_item = function(action)
        return action.title
      end,
    }, function(action)
      -- The choice may come before the handler waits for it.
      vim.schedule(function()
        coroutine.resume(asking, action or vim.NIL)
      end)
    end)
    return coroutine.yield()
  end,
  ['textDocument/publishDiagnostics'] = function(err, params, ctx)
    if not require('greenline.config').get().diagnostics then
      params = vim.deepcopy(params)
      params.diagnostics = vim.tbl_filter(function(diagnostic)
        return diagnostic.code ~= 'pendingHunk'
      end, params.diagnostics)
    end
    vim.lsp.handlers['textDocument/publishDiagnostics'](err, params, ctx)
  end,
}

---@type table<string, fun(command: lsp.Command, ctx: lsp.HandlerContext)>
M.commands = {
  ['greenline.server.explain'] = function(command, ctx)
    local argument = (command.arguments or {})[1] or {}
    require('greenline.job').explain({ bufnr = ctx.bufnr }, argument.range)
  end,
}

vim.api.nvim_create_autocmd('LspDetach', {
  group = vim.api.nvim_create_augroup('greenline.handlers', {}),
  desc = 'Take away what a server proposed that has ended',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'greenline' and client:is_stopped() then
      require('greenline.review').forget(client.id)
      require('greenline.status').forget(client.id)
      require('greenline.question').forget(client.id)
    end
  end,
})

return M
