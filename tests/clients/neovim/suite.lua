-- Runs the tests of one file in this process and prints one line of JSON for each.
local M = {}

---@type { name: string, run: fun() }[]
local tests = {}

--- Add a test.
---@param name string
---@param run fun()
function M.test(name, run)
  table.insert(tests, { name = name, run = run })
end

--- Compare two values.
---@param wanted any
---@param got any
---@param what? string
function M.eq(wanted, got, what)
  if not vim.deep_equal(wanted, got) then
    error(('%s\nwanted %s\ngot    %s'):format(what or 'not equal', vim.inspect(wanted), vim.inspect(got)), 2)
  end
end

--- Require that a text holds another.
---@param wanted string
---@param text string
function M.has(wanted, text)
  if not text:find(wanted, 1, true) then
    error(('%q is not in:\n%s'):format(wanted, text), 2)
  end
end

--- Run what was added; `after` follows each test, whatever came of it, and returns words about a failure.
---@param after fun(failed: boolean): string
---@param at_end fun()
function M.run(after, at_end)
  for _, test in ipairs(tests) do
    local begun = vim.uv.hrtime()
    local ok, failure = xpcall(test.run, debug.traceback)
    local words = after(not ok)
    io.stdout:write(vim.json.encode({
      name = test.name,
      ok = ok,
      failure = ok and '' or tostring(failure) .. '\n' .. words,
      seconds = (vim.uv.hrtime() - begun) / 1e9,
    }) .. '\n')
  end
  at_end()
end

return M
