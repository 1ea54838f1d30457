---@meta
-- What goes over the wire, as docs/protocol.md has it. Never loaded.

---@class greenline.Hunk
---@field id string
---@field uri string
---@field op 'edit'|'create'|'delete'
---@field range lsp.Range Lines that it replaces, on the text as it is now.
---@field before string
---@field after string
---@field state 'pending'|'accepted'|'rejected'|'conflicted'|'superseded'
---@field why? string
---@field comment? string
---@field needs? string[]
---@field mode? integer

---@class greenline.TestResult
---@field id string
---@field outcome string

---@class greenline.TestReport
---@field end string
---@field tests greenline.TestResult[]
---@field runner string
---@field durationS number
---@field detail string

---@class greenline.HunkEvidence
---@field hunkId string
---@field coverage 'covered'|'notCovered'|'notApplicable'
---@field tests string[]

---@class greenline.Evidence
---@field verdict string
---@field reason string
---@field detail string
---@field base? greenline.TestReport
---@field patched? greenline.TestReport
---@field oldTests? greenline.TestReport
---@field newTests? greenline.TestReport
---@field fixed string[]
---@field lost string[]
---@field flaky string[]
---@field hunks greenline.HunkEvidence[]
---@field touchesTests boolean
---@field warnings string[]
---@field engine string
---@field image string
---@field toolchain string
---@field command string[]
---@field durationS number
---@field currency 'current'|'partial'

---@class greenline.Proposal
---@field id string
---@field runId string
---@field verdict string
---@field reason string
---@field summary string
---@field hunks greenline.Hunk[]
---@field evidence greenline.Evidence

---@class greenline.PlanEntry
---@field number integer
---@field intent string
---@field files string[]
---@field checks string[]
---@field status 'pending'|'inProgress'|'completed'|'failed'

---@class greenline.Plan
---@field version integer
---@field entries greenline.PlanEntry[]
---@field risk string
---@field score? integer
---@field engine 'model'|'repair'
---@field remarks string[]

---@class greenline.Question
---@field id string
---@field text string
---@field options string[]
---@field kind 'question'|'permission'

---@class greenline.Health
---@field available boolean
---@field name string
---@field problem string
---@field remedy string

---@class greenline.Status
---@field agent { worker: string, sandbox?: greenline.Health, model?: greenline.Health, spentUsd: number, capUsd?: number }
---@field roots string[]
---@field activeRuns string[]
---@field pendingHunks integer
---@field version string
---@field index { state: string, completeness: number, nFiles: integer, nPending: integer, note: string }

---@class greenline.Run
---@field id string
---@field request string
---@field state string
---@field created number
---@field note? string
---@field plan? greenline.Plan
---@field proposal? greenline.Proposal

---@class greenline.Event
---@field runId string
---@field seq integer
---@field kind string
---@field data table<string, any>
