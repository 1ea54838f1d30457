;;; job.el --- The whole job in eglot, with no plug-in  -*- lexical-binding: t -*-

;; Run as: emacs --batch -Q -l CONFIGURATION -l job.el PROJECT
;; Each step prints one line of JSON: its name, whether it went well, and what went wrong.
;; The steps build on one another; after the first that fails, the rest fails as well.

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'json)

(defvar job-project (pop command-line-args-left))
(defvar job-is-broken nil "Whether a step has failed.")
(defvar job-comment "# agent: make the failing tests pass\n")

;; What a batch run needs: nobody is there to answer, and nothing else may write into the project.
(setq eglot-confirm-server-edits nil eglot-sync-connect t eglot-connect-timeout 120
      eglot-autoshutdown nil make-backup-files nil create-lockfiles nil auto-save-default nil)

(defun job-say (name ok why)
  "Print the result of the step NAME: OK, and WHY not."
  (princ (concat (json-encode `(("name" . ,name) ("ok" . ,(if ok t :json-false)) ("failure" . ,why))) "\n")))

(defmacro step (name &rest body)
  "Run BODY as the step NAME."
  (declare (indent 1))
  `(if job-is-broken (job-say ,name nil "an earlier step failed")
     (condition-case problem (progn ,@body (job-say ,name t ""))
       (error (setq job-is-broken t) (job-say ,name nil (format "%S" problem))))))

(defun job-until (what is-so)
  "Wait until IS-SO returns something, and return that; WHAT names it."
  (let ((end (+ (float-time) 200)) found)
    (while (and (not (setq found (funcall is-so))) (< (float-time) end))
      (accept-process-output nil 0.1)
      ;; What eglot does when nothing is typed for half a second; a batch run is never idle.
      (when (eglot-managed-p) (eglot--signal-textDocument/didChange)))
    (or found (error "Timeout: %s" what))))

(defun job-open (name)
  "Show the file NAME of the project."
  (switch-to-buffer (find-file-noselect (expand-file-name name job-project)))
  (buffer-enable-undo))

(defun job-server () "Return the server." (eglot--current-server-or-lose))

(defun job-titles () "Return the titles of the code actions at point."
  (mapcar (lambda (a) (plist-get a :title)) (eglot-code-actions (point) (point))))

(defun job-act (title)
  "Choose the code action at point whose title begins with TITLE."
  (let ((found (cl-find-if (lambda (a) (string-prefix-p title (plist-get a :title)))
                           (eglot-code-actions (point) (point)))))
    (unless found (error "No action %s among %S" title (job-titles)))
    (eglot-execute (job-server) found)))

(defun job-command (name argument)
  "Let the server execute its command NAME with ARGUMENT."
  (eglot-execute (job-server) `(:command ,(concat "greenline.server." name) :arguments [,argument])))

(defun job-goto (text)
  "Go to the line that holds TEXT."
  (goto-char (point-min))
  (search-forward text)
  (beginning-of-line))

(defun job-hover ()
  "Return what hover shows at point."
  (let (shown)
    (eglot-hover-eldoc-function (lambda (text &rest _) (setq shown (or text t))))
    (job-until "hover" (lambda () shown))))

(defun job-marks ()
  "Return the texts of the diagnostics of this buffer that are Greenline's."
  (cl-loop for diagnostic in (flymake-diagnostics)
           for text = (flymake-diagnostic-text diagnostic)
           when (string-match-p "verified" text) collect text))

(defvar job-said nil "What the server showed as messages, newest first.")
(advice-add 'eglot--message :before (lambda (format &rest values) (push (apply #'format format values) job-said)))

(defun job-messages () "Return all that the server showed."
  (mapconcat #'identity job-said "\n"))

(defun job-disk () "Return what the file of this buffer holds on the disk."
  (let ((file (buffer-file-name))) (with-temp-buffer (insert-file-contents file) (buffer-string))))

(defun job-check (is-so what) "Fail with WHAT unless IS-SO." (unless is-so (error "%s" what)))

(let ((disk nil))
  (step "connect"
    (job-open "ledger/discount.py")
    (python-mode)
    (apply #'eglot (eglot--guess-contact))
    (setq disk (job-disk))
    (job-check (eglot-managed-p) "eglot does not manage the buffer"))

  (step "ask from a comment that is not saved"
    (goto-char (point-min))
    (insert job-comment)
    ;; As the command loop does after each command; without one, only a timer would part the typing from the accept.
    (undo-boundary)
    (goto-char (point-min))
    (job-act "Agent: implement “make the failing tests pass”")
    (job-until "marks of what is proposed" #'job-marks)
    (job-check (equal (buffer-string) (concat job-comment disk)) "a pending hunk is in the buffer"))

  (step "hover explains a pending hunk"
    (job-goto "if quantity > pieces:")
    (let ((text (job-hover)))
      (job-check (string-match-p "verified" text) text)
      (job-check (string-match-p "a.?_step.?_begins" text) text)))

  (step "accept by a code action, into the buffer alone"
    (job-act "Agent: accept")
    (job-until "the accepted text" (lambda () (string-match-p "quantity >= pieces" (buffer-string))))
    (job-check (string-prefix-p job-comment (buffer-string)) "the comment is gone")
    (job-check (equal (job-disk) disk) "the disk was written")
    (job-until "the marks to go" (lambda () (null (job-marks)))))

  (step "an accept is one step of the editor's own undo"
    (setq last-command nil)
    (undo-boundary)
    (undo)
    (job-check (equal (buffer-string) (concat job-comment disk)) (buffer-string))
    (setq last-command 'undo)
    (undo-redo)
    (job-check (string-match-p "quantity >= pieces" (buffer-string)) "redo did not bring it back"))

  (step "undo by the server's command"
    (job-command "undo" (make-hash-table))
    (job-until "the old text" (lambda () (equal (buffer-string) (concat job-comment disk))))
    (job-until "the hunk to wait again" #'job-marks))

  (step "reject by a code action"
    (job-goto "if quantity > pieces:")
    (job-act "Agent: reject")
    (job-until "the marks to go" (lambda () (null (job-marks))))
    (job-check (not (cl-find "Agent: accept" (job-titles) :test #'equal)) "it can still be accepted")
    (job-check (equal (buffer-string) (concat job-comment disk)) "a rejected hunk is in the buffer"))

  (step "plan, shown as a document, and run it"
    (let ((here (current-buffer)) run)
      (job-command "plan" '(:request "make the failing tests pass"))
      (job-until "the plan"
                 (lambda () (cl-find-if (lambda (b) (string-match-p "\\`run-.*\\.md" (buffer-name b)))
                                        (buffer-list))))
      (with-current-buffer (cl-find-if (lambda (b) (string-match-p "\\`run-.*\\.md" (buffer-name b)))
                                       (buffer-list))
        (job-check (string-match-p "Make the failing test pass" (buffer-string)) (buffer-string))
        (string-match "run-[0-9a-z]+" (buffer-string))
        (setq run (match-string 0 (buffer-string))))
      (switch-to-buffer here)
      (job-command "execute" `(:runId ,run))
      (job-until "an end" (lambda () (string-match-p "No change is proposed\\|change(s) proposed"
                                                      (job-messages))))))

  (step "a bad command is told"
    (job-command "acceptHunk" '(:proposalId "no"))
    (job-until "words about it" (lambda () (string-match-p "argument cannot be used" (job-messages)))))

  (step "shut down"
    (let ((process (jsonrpc--process (job-server))))
      (set-buffer-modified-p nil)
      (eglot-shutdown (job-server) nil 20)
      (job-check (not (process-live-p process)) "the server lives on"))))

(kill-emacs (if job-is-broken 1 0))

;;; job.el ends here
