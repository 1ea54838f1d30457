-- Defines `:Agent` and follows the buffers; everything else is loaded when it is first used.
if vim.g.loaded_greenline or vim.fn.has('nvim-0.11') == 0 then
  return
end
vim.g.loaded_greenline = true

vim.api.nvim_create_user_command('Agent', function(opts)
  require('greenline.command').run(opts)
end, {
  nargs = '*',
  range = true,
  desc = 'Ask the Greenline agent, and decide about what it proposes',
  complete = function(lead, line)
    return require('greenline.command').complete(lead, line)
  end,
})

local group = vim.api.nvim_create_augroup('greenline', {})

vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufFilePost', 'FileChangedShellPost', 'LspAttach' }, {
  group = group,
  desc = 'Draw what is proposed for a buffer that was just read or renamed',
  callback = function(event)
    if package.loaded['greenline.proposal'] then
      require('greenline.review').buffer_read(event.buf, event.event)
    end
  end,
})
vim.api.nvim_create_autocmd('LspProgress', {
  group = group,
  desc = "Keep the agent's last words for the status line",
  callback = function(event)
    if package.loaded['greenline.status'] then
      require('greenline.status').progress(event.data.client_id, event.data.params)
    end
  end,
})
vim.api.nvim_create_autocmd('ColorScheme', {
  group = group,
  desc = 'Define the highlight groups again, which a colour scheme clears',
  callback = function()
    if package.loaded['greenline.draw'] then
      require('greenline.draw').define_highlights()
    end
  end,
})
