;;; run.el --- Tests of the server with eglot and with lsp-mode in a real Emacs  -*- lexical-binding: t; -*-

;; run: CLIENT=eglot|lsp-mode GRAPHLS=... WORKSPACE=... emacs --batch -l tests/editors/emacs/run.el
;; GRAPHLS names the executable of the server, WORKSPACE a folder that is read only.

;;; Code:

(require 'package)
(package-initialize)
(require 'cl-lib)
(require 'project)
(require 'xref)
(require 'subr-x)

(defvar eglot-server-programs)
(defvar eglot-connect-timeout)
(defvar eglot-sync-connect)
(defvar lsp-session-file)
(defvar lsp-enable-snippet)
(defvar lsp-auto-guess-root)
(defvar lsp-warn-no-matched-clients)
(defvar lsp-response-timeout)
(defvar lsp-diagnostics-provider)
(declare-function eglot--managed-mode "eglot")
(declare-function eglot-ensure "eglot")
(declare-function eglot-current-server "eglot")
(declare-function eglot--TextDocumentPositionParams "eglot")
(declare-function eglot--TextDocumentIdentifier "eglot")
(declare-function jsonrpc-request "jsonrpc")
(declare-function lsp "lsp-mode")
(declare-function lsp-register-client "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(declare-function lsp-activate-on "lsp-mode")
(declare-function lsp-workspaces "lsp-mode")
(declare-function lsp--workspace-status "lsp-mode")
(declare-function lsp-request "lsp-mode")
(declare-function lsp--text-document-position-params "lsp-mode")
(declare-function lsp--text-document-identifier "lsp-mode")
(declare-function lsp-workspace-folders-add "lsp-mode")

(defvar run-client (getenv "CLIENT"))
(defvar run-server (getenv "GRAPHLS"))
(defvar run-folder (file-name-as-directory (file-truename (getenv "WORKSPACE"))))
(defvar run-passed 0)
(defvar run-failed 0)

(defmacro run-test (name &rest body)
  "Run BODY as the test NAME."
  (declare (indent 1))
  `(condition-case problem
       (progn ,@body
              (cl-incf run-passed)
              (princ (format "ok %s: %s\n" run-client ,name)))
     (error (cl-incf run-failed)
            (princ (format "not ok %s: %s\n   %S\n" run-client ,name problem)))))

(defun run-expect (what value)
  "Fail with WHAT unless VALUE holds."
  (unless value (error "Expected: %s" what)))

(defun run-until (what holds)
  "Wait until HOLDS returns something, or fail with WHAT."
  (let ((end (+ (float-time) 120)) found)
    (while (and (not (setq found (funcall holds))) (< (float-time) end))
      (accept-process-output nil 0.05))
    (or found (error "Waited in vain: %s" what))))

(defun run-at (file text &optional within)
  "Visit FILE, and go to TEXT, to the place of WITHIN in it."
  (find-file (expand-file-name file run-folder))
  (unless (equal run-client "eglot")
    (lsp))
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0))
  (when within
    (search-forward within)
    (goto-char (match-beginning 0))))

(defun run-ask (method params)
  "The answer to METHOD with PARAMS."
  (if (equal run-client "eglot")
      (jsonrpc-request (eglot-current-server) (intern (concat ":" method)) params)
    (lsp-request method params)))

(defun run-place ()
  "Where point is, as a client says it."
  (if (equal run-client "eglot")
      (eglot--TextDocumentPositionParams)
    (lsp--text-document-position-params)))

(defun run-words (value)
  "Everything that VALUE has in it, as text."
  (if (hash-table-p value)
      (let (found)
        (maphash (lambda (key one) (push (format "%s %s" key (run-words one)) found)) value)
        (string-join found " "))
    (cond ((vectorp value) (mapconcat #'run-words value " "))
          ((consp value) (concat (run-words (car value)) " " (run-words (cdr value))))
          (t (format "%s" value)))))

(defun run-backend-definitions ()
  "Files of what the definition at point leads to, by xref."
  (let* ((backend (xref-find-backend))
         (name (xref-backend-identifier-at-point backend)))
    (mapcar (lambda (one) (file-name-nondirectory (xref-location-group (xref-item-location one))))
            (xref-backend-definitions backend name))))

(defun run-backend-references ()
  "Files of what refers to what is at point, by xref."
  (let* ((backend (xref-find-backend))
         (name (xref-backend-identifier-at-point backend)))
    (mapcar (lambda (one) (file-name-nondirectory (xref-location-group (xref-item-location one))))
            (xref-backend-references backend name))))

(setq enable-local-variables nil
      create-lockfiles nil
      make-backup-files nil)

(run-test "the client starts the server for a file"
  (find-file (expand-file-name "src/shop/report.py" run-folder))
  (if (equal run-client "eglot")
      (progn
        (require 'eglot)
        (setq eglot-connect-timeout 120
              eglot-sync-connect 120
              eglot-server-programs `((python-mode . (,run-server "serve"))))
        (eglot-ensure)
        (run-hooks 'post-command-hook)
        (run-until "a server" #'eglot-current-server))
    (require 'lsp-mode)
    (setq lsp-session-file (expand-file-name "session" (getenv "HOME"))
          lsp-enable-snippet nil
          lsp-auto-guess-root t
          lsp-response-timeout 120
          lsp-diagnostics-provider :none)
    (lsp-register-client
     (make-lsp-client :new-connection (lsp-stdio-connection (list run-server "serve"))
                      :activation-fn (lsp-activate-on "python")
                      :priority 100
                      :server-id 'graphls))
    (lsp-workspace-folders-add (directory-file-name run-folder))
    (lsp)
    (run-until "a server"
               (lambda () (cl-some (lambda (one) (eq (lsp--workspace-status one) 'initialized)) (lsp-workspaces))))))

(run-test "every file is read"
  (run-until "complete"
             (lambda () (string-match-p "stage complete" (run-words (run-ask "graph/status" (make-hash-table)))))))

(run-test "a definition in another file is gone to"
  (run-at "src/shop/report.py" "order.total()" "total")
  (run-expect "orders.py" (equal (run-backend-definitions) '("orders.py"))))

(run-test "references are found in every file"
  (run-at "src/shop/orders.py" "def total" "total")
  (let ((files (run-backend-references)))
    (run-expect "report.py and the tests" (and (member "report.py" files) (member "test_orders.py" files)))))

(run-test "a hover names the callers"
  (run-at "src/shop/orders.py" "def total" "total")
  (run-expect "callers" (string-match-p "Called by 2 callers" (run-words (run-ask "textDocument/hover" (run-place))))))

(run-test "a code action removes what nobody uses"
  (run-at "src/shop/orders.py" "_forgotten")
  (let* ((line (1- (line-number-at-pos)))
         (range `(:start (:line ,line :character 4) :end (:line ,line :character 4)))
         (document (if (equal run-client "eglot") (eglot--TextDocumentIdentifier) (lsp--text-document-identifier)))
         (asked `(:textDocument ,document :range ,range :context (:diagnostics []))))
    ;; Rules look at the whole workspace, in their own time.
    (run-until "Remove unused _forgotten"
               (lambda ()
                 (string-match-p "Remove unused _forgotten" (run-words (run-ask "textDocument/codeAction" asked)))))))

(princ (format "%d passed, %d failed\n" run-passed run-failed))
(kill-emacs (if (zerop run-failed) 0 1))

;;; run.el ends here
