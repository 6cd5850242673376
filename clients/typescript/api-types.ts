// Generated from the OpenAPI document by `npm run client`. Do not edit.

export interface paths {
    "/v1/auth/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify an API key
         * @description Costs no quota, needs no scope, and works with an exhausted quota or a disabled key. A key with allowed networks can only be verified from there.
         */
        get: operations["verifyKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/employees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List employees
         * @description In order of creation. The list is eventually consistent; use `min_position` to read your own write.
         */
        get: operations["listEmployees"];
        /**
         * Create or update several employees
         * @description Applies all records or none, unless `all_or_none` is `false`. A refusal lists the errors of all records. A record whose `external_id` finds an employee, or whose `email` does if it has no `external_id`, updates this employee as a JSON Merge Patch. Any other record creates an employee.
         */
        put: operations["upsertEmployees"];
        /**
         * Create one or more employees
         * @description Applies all records or none, unless `all_or_none` is `false`. A refusal lists the errors of all records.
         */
        post: operations["createEmployees"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update several employees
         * @description Applies all records or none, unless `all_or_none` is `false`. A refusal lists the errors of all records. Uniqueness and reporting lines are checked on the state after the call, so two employees can swap emails.
         */
        patch: operations["updateEmployees"];
        trace?: never;
    };
    "/v1/employees/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one employee
         * @description Always current. An id of another company is treated like one that does not exist.
         */
        get: operations["readEmployee"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update one employee
         * @description Applies a JSON Merge Patch. Set `status` to deactivate or reactivate the employee. Values that are already set are not changes.
         */
        patch: operations["updateEmployee"];
        trace?: never;
    };
    "/admin/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys, newest first
         * @description Keys of every status, with their usage in the current period. Secrets are not shown.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Issue an API key
         * @description The secret is shown only once. A key can be used at once, and without limits other than those given.
         */
        post: operations["issueApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an API key and its usage
         * @description The secret is not shown.
         */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Rename an API key, or change its quota or access
         * @description The change applies at once. The secret stays the same.
         */
        patch: operations["editApiKey"];
        trace?: never;
    };
    "/admin/v1/api-keys/{id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable an API key
         * @description Its calls are refused until the key is enabled.
         */
        post: operations["disableApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/api-keys/{id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a disabled API key
         * @description Its calls are accepted again.
         */
        post: operations["enableApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/api-keys/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke an API key permanently
         * @description Its calls are refused from now on. The key stays in the list, and can never be used again.
         */
        post: operations["revokeApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of an API key
         * @description The new secret is shown only once. The current one keeps working for `overlap_seconds`.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/attention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what needs attention now
         * @description Failed calls since the start of yesterday, calls since then that left records out, calls that did not come, failing and disabled webhooks, quotas that are used up or nearly so, keys that have expired, expire within 14 days, or have made no call in the 30 days since they were issued, a failing identity provider, parked read models, a ledger that is disputed or not signed, and background work that fails. Of the keys that need the same, 200 are read, those that expire first.
         */
        get: operations["getAttention"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/bulk-user-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the entries of Bulk User Logs, newest first
         * @description With `employee` or `q`, an answer may end before the page is full, and may even have no items, although `next_cursor` is set: the search has then read as many records as it may, and continues with the next page.
         */
        get: operations["listBulkUserLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/bulk-user-logs.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the entries of Bulk User Logs as CSV, newest first
         * @description The rows are streamed as they are read. A cell that a spreadsheet would treat as a formula (it starts with `=`, `+`, `-`, `@`, a tab or a carriage return) is prefixed with an apostrophe.
         */
        get: operations["exportBulkUserLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/bulk-user-logs/{log_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one entry of Bulk User Logs
         * @description If the log does not have the entry of a call yet, the answer waits for it, for up to 10 seconds.
         */
        get: operations["getBulkUserLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/bulk-user-logs/{log_id}/failed-records.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the refused records of an entry as CSV, one column for each attribute
         * @description A file to correct in a spreadsheet. Each record is a row, with the log id, its index in the call, and its errors. Each attribute and custom attribute that occurs has a column. An empty cell is an absent attribute, and `(empty)` is null. A text that a spreadsheet would change, such as a formula, a date, a number, or a phone number, has an apostrophe in front. Other values follow `(json) ` as JSON. The column `record` holds records that cannot be columns. Records that are erased are left out. A failed call applied nothing: the log does not keep its valid records. A call with `all_or_none=false` applied the others.
         */
        get: operations["exportFailedRecordsAsCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/bulk-user-logs/{log_id}/failed-records.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the refused records of an entry as the body of a new call
         * @description Correct the records and send the file to `/v1/employees` with `POST` after a creation, `PATCH` after an update, or `PUT` after an upsert. The refused record of a single update gets the `id` of its path. Records that are erased, or that were too large to keep in full, are left out. A failed call applied nothing: the log does not keep its valid records, so send those again, too. A call with `all_or_none=false` applied them already.
         */
        get: operations["exportFailedRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/bulk-user-logs/{log_id}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the records of an entry, in the order of the call
         * @description What each record set or changed, with old and new values, or why it was refused.
         */
        get: operations["listBulkUserLogRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/bulk-user-logs/{log_id}/records.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the records of an entry as CSV, in the order of the call
         * @description The rows are streamed as they are read. A cell that a spreadsheet would treat as a formula (it starts with `=`, `+`, `-`, `@`, a tab or a carriage return) is prefixed with an apostrophe. Name, email and external id are the employee's current ones; a refused record without a known employee has those that were sent.
         */
        get: operations["exportBulkUserLogRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/bulk-user-logs/failed-records.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the refused records of all matching entries as one CSV file, one column for each attribute
         * @description A file to correct in a spreadsheet. Each record is a row, with the log id, its index in the call, and its errors. Each attribute and custom attribute that occurs has a column. An empty cell is an absent attribute, and `(empty)` is null. A text that a spreadsheet would change, such as a formula, a date, a number, or a phone number, has an apostrophe in front. Other values follow `(json) ` as JSON. The column `record` holds records that cannot be columns. Records that are erased are left out. A failed call applied nothing: the log does not keep its valid records. A call with `all_or_none=false` applied the others.
         */
        get: operations["exportAllFailedRecordsAsCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/bulk-user-logs/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow Bulk User Logs live (server-sent events)
         * @description Each new entry is one event: `data` is the entry as in the list, `id` is its cursor. The stream starts after the event in `Last-Event-ID`, else after `cursor`, else with new entries. It ends from time to time, and when the user loses access: reconnect with the last id. Comments are heartbeats.
         */
        get: operations["streamBulkUserLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/company": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the company and its settings
         * @description The company that the credentials belong to.
         */
        get: operations["getCompany"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the company's time zone or country
         * @description Calls that are decided after the answer use the new country.
         */
        patch: operations["changeCompany"];
        trace?: never;
    };
    "/admin/v1/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase a person permanently
         * @description Erases the data of an employee from the ledger, and every refused record that contains their id, or a current or former email address or external id. This cannot be undone. Ids, counts and hashes remain, so every proof still verifies. Bulk User Logs shows the records as erased. Returns 404 if there is nothing to erase.
         */
        post: operations["erasePerson"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a password with the one-time token of an invitation or reset
         * @description The token is the only credential, and can be used once. The user can then sign in.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/personal-data-reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report what is held about a person
         * @description Finds everything that an erasure of the person would find, and what it would leave: of an employee, or of a user. The report is streamed as it is read; if it cannot be completed, the connection breaks. The ledger records that you got it, with an event that names the id alone.
         */
        post: operations["reportPersonalData"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/secrets/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find the API key or token of a secret
         * @description Finds keys and tokens of every status, and also the previous secret of a key. The request is a POST, so that the secret is in no address; it is neither logged nor returned. A secret of another company is not found.
         */
        post: operations["findSecrets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your tokens, newest first
         * @description Administrators can list those of another user with `user`. The tokens themselves are not shown.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Issue a token for yourself
         * @description The token is shown only once. It may do what you may do, unless `scope` restricts it. You can have at most 20 tokens. This needs a browser session, and your password again: a token cannot issue tokens. The account page does the same.
         */
        post: operations["issueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description It stops working immediately. You can revoke your own tokens; administrators can revoke any token.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List uploads, newest first
         * @description All uploads that are stored, on one page. Uploads are deleted after a day.
         */
        get: operations["listUploads"];
        put?: never;
        /**
         * Upload a file of employees
         * @description Stores a file for a day and previews it; nothing is applied yet. The file is CSV, a workbook (.xlsx, .xls, .ods), or JSON, whatever program wrote it and whatever the content type says. Rows that are no records, such as titles and totals, are left out, and listed in `left_out`. A file of more than `MAX_RECORDS` records is split into parts, each of which becomes one call. What its columns mean is proposed from their names and values, or as the company chose for the last file with the same first line: see `questions`.
         */
        post: operations["createUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an upload and its progress
         * @description What each part would do, and what became of it.
         */
        get: operations["getUpload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads/{id}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply an upload, or resume it
         * @description Each part becomes one call, which applies all of its rows or none; or, with `all_or_none=false`, all that can be applied. A file of one part is applied before the answer; of a larger one, part after part in the background. Repeating the request has no further effect.
         */
        post: operations["applyUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel what is still to come of an upload
         * @description What was applied stays applied. An upload that was not applied yet is deleted.
         */
        post: operations["cancelUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads/{id}/mapping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what the columns of an upload mean
         * @description The mapping that the service proposed, or the one that was set last. Save it as a file to use it with `employee-ledger-client send --map`.
         */
        get: operations["getUploadMapping"];
        /**
         * Say what the columns of an upload mean
         * @description Before the file is applied, by the user who uploaded it. The preview is made again. How values are read is filled in from the values where the mapping says nothing. Once the file is applied, the mapping is remembered for the next file with the same first line.
         */
        put: operations["setUploadMapping"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads/{id}/missing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the people whom an upload would deactivate
         * @description In the order of their creation. They are listed until they are deactivated.
         */
        get: operations["listMissing"];
        /**
         * Let an upload deactivate the people who are not in its file
         * @description Before the file is applied, by the user who uploaded it. The active people whom no row names, by an id, an external id, an email, or as a manager, are listed. Once all rows are applied, they are deactivated by update calls of their own; not if a row was not applied. Refused if the file may not show who is missing: it has rows that are refused, only creates people, or corrects entries. Repeat the request to list them again.
         */
        put: operations["deactivateMissing"];
        post?: never;
        /**
         * Let an upload deactivate nobody who is not in its file
         * @description Before the file is applied, by the user who uploaded it.
         */
        delete: operations["keepMissing"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads/{id}/not-applied.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the rows of an upload that were not applied
         * @description All rows of refused, canceled, and waiting parts, and those that were left out of the others, to correct and upload again. A row that was refused has the id of its entry, and its errors.
         */
        get: operations["exportRowsNotApplied"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads/{id}/parts/{number}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview a part of an upload
         * @description The call of the part, validated and not applied: what it would do now, and its errors.
         */
        get: operations["previewUploadPart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count create and update calls and their records by day, operation and outcome
         * @description Covers at most 366 days. Days without calls are omitted.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users, newest first
         * @description Without `status`, the list has the users who can sign in and those who are invited.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Invite a user
         * @description The response has a one-time token, shown only once. With it, the user sets a password and can then sign in. The service sends it by email if it is configured to; otherwise, pass it on. Where the company requires its identity provider, the page of the token, `/invitation?token=…`, links the user to an account there instead.
         */
        post: operations["inviteUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user
         * @description Removed users can be read too. A user who was erased has no name and no email address.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Remove a user
         * @description Their password, passkeys, recovery codes, sessions and tokens stop working immediately. A company always keeps an administrator.
         */
        delete: operations["removeUser"];
        options?: never;
        head?: never;
        /**
         * Change a user's role
         * @description The new role applies at once. A company always keeps an administrator.
         */
        patch: operations["changeUser"];
        trace?: never;
    };
    "/admin/v1/users/{id}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase a removed user: name, email address, tokens and linked account
         * @description The removal has deleted passkeys and recovery codes. Actions recorded under the user id remain. This cannot be undone. Erasing a user again has no effect.
         */
        post: operations["eraseUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users/{id}/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset the password of a user
         * @description The current password, passkeys, recovery codes, the link to an account at the identity provider, and all sessions stop working immediately; access tokens keep working. The response has a one-time token for a new password, shown only once, which is sent by email too if the service is configured to. Nobody can reset their own password.
         */
        post: operations["resetUserPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks, oldest first
         * @description All webhooks of the company, on one page. Secrets are not shown.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description The secret is shown only once. Messages begin with the next event. A company can have at most 20 webhooks.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook and its progress
         * @description The secret is not shown.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Remove a webhook permanently
         * @description No more messages are sent. This cannot be undone.
         */
        delete: operations["removeWebhook"];
        options?: never;
        head?: never;
        /**
         * Change the settings of a webhook
         * @description The change applies to the messages that follow. The secret stays the same.
         */
        patch: operations["editWebhook"];
        trace?: never;
    };
    "/admin/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook, newest first
         * @description Those of the last 30 days: each attempt to send a message, and what the receiver answered.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery of a webhook
         * @description One attempt to send a message: what was sent, and what the receiver answered.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the message of a delivery again
         * @description The message is made from its event as it is stored now. It has the same `webhook-id` as before.
         */
        post: operations["redeliverWebhookMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause deliveries until the webhook is resumed
         * @description Resumed deliveries go on where they stopped, so that no event is skipped.
         */
        post: operations["pauseWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{id}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message and show what the receiver answers
         * @description Also works on a paused or disabled webhook.
         */
        post: operations["pingWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume or replay deliveries
         * @description Also works on an enabled webhook, to send messages again.
         */
        post: operations["resumeWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook
         * @description The new secret is shown only once. Messages are signed with both for `overlap_seconds`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign the current head of the ledger
         * @description A C2SP `tlog-checkpoint`: the size of the ledger and the root of its Merkle tree (RFC 6962), signed with Ed25519, and cosigned by the witnesses that have seen it. `witnessed` is the newest checkpoint that enough of them have seen. Keep it to detect later whether anything up to that position was changed. Returns 503 and signs nothing if the ledger does not continue the last checkpoint that the service keeps outside its database.
         */
        get: operations["getCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/employees/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an employee at a position or time, with the event that last set each attribute
         * @description Returns 404 if the employee had not been created yet, or has been erased.
         */
        get: operations["readEmployeeAt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/employees/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of an employee, newest first
         * @description A page may have fewer than `limit` items if they are very large.
         */
        get: operations["listEmployeeEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the company's events in the order of the ledger
         * @description One event per line (NDJSON), streamed as it is read, and compressed with gzip if `Accept-Encoding` asks for it. Filters do not change positions: resume after any event with `after`. If the response cannot be completed, the connection breaks. An unfiltered export in the proof format includes the events that erased data while it was read, so that missing data is explained.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the company's events live (server-sent events)
         * @description Each message is one event: `data` is the event as in the list, `id` is its position. The stream starts after the position in `Last-Event-ID`, else after `after`, else with new events. It ends from time to time, and when the user loses access: reconnect with the last id. Comments also advance the id while filters exclude events.
         */
        get: operations["followEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an evidence file
         * @description A zip with the events of an employee, a call, or a period, or of the whole ledger if none of them is given, a proof that they are in the ledger of a checkpoint signed now, a verifier that needs only Python, and a page that describes them in sentences. Erased data are not in it. If the response cannot be completed, for example because data are erased meanwhile, the connection breaks. Returns 503 if no checkpoint can be signed.
         */
        get: operations["getEvidence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the current and retired public keys that sign checkpoints
         * @description Notes signed with a retired key remain valid. The current key, if any, comes first.
         */
        get: operations["listAuditKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/proofs/consistency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that a smaller ledger is a prefix of a larger one
         * @description A Merkle consistency proof (RFC 6962 section 2.1.2). Compare the roots with those of checkpoints.
         */
        get: operations["proveConsistency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/proofs/inclusion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that an event is in the ledger
         * @description A Merkle audit path (RFC 6962 section 2.1.1). `leaf_index` is the position minus one. The leaf is the hash of the event's `envelope` in the proof format. Compare the root with that of a checkpoint of the same size.
         */
        get: operations["proveInclusion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "api_call.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A writing call was completed
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiCallCompletedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_call.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A writing call failed
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiCallFailedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "employee.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An employee was created
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["EmployeeCreatedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "employee.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Attributes of an employee changed
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["EmployeeUpdatedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "employee.deactivated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An employee was deactivated
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["EmployeeDeactivatedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "employee.reactivated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An employee was reactivated
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["EmployeeReactivatedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "employee.erased": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An employee's personal data were erased
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["EmployeeErasedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.issued": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An API key was issued
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiKeyIssuedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An API key was changed, such as its name or quota
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiKeyChangedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.rotated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The secret of an API key was rotated
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiKeyRotatedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An API key was disabled
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiKeyDisabledMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.enabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An API key was enabled
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiKeyEnabledMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.revoked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An API key was revoked
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiKeyRevokedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "attention.raised": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Something began to need attention
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["AttentionRaisedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "attention.resolved": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Something stopped needing attention
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["AttentionResolvedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A test message that an administrator sent
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["WebhookPingMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        ApiCallCompletedMessage: {
            /** @constant */
            type: "api_call.completed";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                log_id: components["schemas"]["LogId"];
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @enum {string} */
                operation?: "create" | "update_one" | "update_many" | "upsert";
                counts?: components["schemas"]["CallCounts"];
                /** @description The id of the API key. */
                key_id?: string;
                /** @description The user who uploaded a file. Such a call has no `key_id`. */
                user_id?: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
            };
        };
        ApiCallFailedMessage: {
            /** @constant */
            type: "api_call.failed";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                log_id: components["schemas"]["LogId"];
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @enum {string} */
                operation?: "create" | "update_one" | "update_many" | "upsert";
                counts?: components["schemas"]["CallCounts"];
                /** @description The id of the API key. */
                key_id?: string;
                /** @description The user who uploaded a file. Such a call has no `key_id`. */
                user_id?: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The status that the call was answered with. */
                http_status?: number;
                /** @description The code of its problem. */
                code?: string;
                /** @description What was wrong. Only if the webhook includes data. */
                detail?: string;
            };
        };
        ApiKey: {
            /** @description The API id, sent as `x-api-id`. */
            id: string;
            name: string;
            /** @description The last four characters of the secret. Null if it is older than version 1.1.0, which stores them. */
            secret_last_four: string | null;
            /**
             * @description A revoked key stays in the list, but can never be used again. An expired key works again once its expiry is changed.
             * @enum {string}
             */
            status: "active" | "disabled" | "expired" | "revoked";
            /** @description What calls with the key may do. Responses to writing calls show the employees that they create or update, whether or not the key may read. */
            scopes: ("employees:read" | "employees:write")[];
            /**
             * Format: date-time
             * @description When the key ends. Null if it does not.
             */
            expires_at: string | null;
            /** @description The networks from which the key may be used, in CIDR notation (IPv4 or IPv6). Null allows any address. A request may also name single addresses; an empty list is the same as null. */
            allowed_networks: string[] | null;
            /** @description The number of calls allowed in each period. */
            quota_limit: number;
            /**
             * @description How often the quota resets. Periods are calendar periods in UTC; weeks start on Monday.
             * @enum {string}
             */
            refresh_period: "hourly" | "daily" | "weekly" | "monthly";
            /** @description Usage in the current period. */
            usage: {
                requests_made: number;
                /** Format: date-time */
                window_start: string;
                /** Format: date-time */
                window_end: string;
            };
            /** Format: date-time */
            last_used: string | null;
            /** @description When writing calls of the key are expected: at least every so many hours, or by a time of day (`06:00`) on some weekdays (1 is Monday, 7 is Sunday), in the company's time zone and after that time of the day before. If none comes, the key needs attention. Null expects none. */
            expected_calls: {
                every_hours: number;
            } | {
                by_time: string;
                weekdays: number[];
            } | null;
            /** @description When the secret was last replaced, and until when the previous secret works. Null if it does not. */
            rotation: {
                /** Format: date-time */
                rotated_at: string | null;
                /** Format: date-time */
                previous_secret_expires_at: string | null;
                /** @description The last four characters of the secret. Null if it is older than version 1.1.0, which stores them. */
                previous_secret_last_four: string | null;
            };
            /** Format: date-time */
            created_at: string;
        };
        ApiKeyChangedMessage: {
            /** @constant */
            type: "api_key.changed";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The id of the API key. */
                key_id: string;
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The id of the user who did it, or `operator`. */
                actor: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The data of the event. Only if the webhook includes data. */
                details?: {
                    [key: string]: unknown;
                };
            };
        };
        ApiKeyDisabledMessage: {
            /** @constant */
            type: "api_key.disabled";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The id of the API key. */
                key_id: string;
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The id of the user who did it, or `operator`. */
                actor: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The data of the event. Only if the webhook includes data. */
                details?: {
                    [key: string]: unknown;
                };
            };
        };
        ApiKeyEnabledMessage: {
            /** @constant */
            type: "api_key.enabled";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The id of the API key. */
                key_id: string;
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The id of the user who did it, or `operator`. */
                actor: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The data of the event. Only if the webhook includes data. */
                details?: {
                    [key: string]: unknown;
                };
            };
        };
        ApiKeyIssuedMessage: {
            /** @constant */
            type: "api_key.issued";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The id of the API key. */
                key_id: string;
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The id of the user who did it, or `operator`. */
                actor: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The data of the event. Only if the webhook includes data. */
                details?: {
                    [key: string]: unknown;
                };
            };
        };
        ApiKeyRevokedMessage: {
            /** @constant */
            type: "api_key.revoked";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The id of the API key. */
                key_id: string;
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The id of the user who did it, or `operator`. */
                actor: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The data of the event. Only if the webhook includes data. */
                details?: {
                    [key: string]: unknown;
                };
            };
        };
        ApiKeyRotatedMessage: {
            /** @constant */
            type: "api_key.rotated";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The id of the API key. */
                key_id: string;
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The id of the user who did it, or `operator`. */
                actor: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The data of the event. Only if the webhook includes data. */
                details?: {
                    [key: string]: unknown;
                };
            };
        };
        ApiKeyWithSecret: {
            /** @description The API id, sent as `x-api-id`. */
            id: string;
            name: string;
            /** @description The last four characters of the secret. Null if it is older than version 1.1.0, which stores them. */
            secret_last_four: string | null;
            /**
             * @description A revoked key stays in the list, but can never be used again. An expired key works again once its expiry is changed.
             * @enum {string}
             */
            status: "active" | "disabled" | "expired" | "revoked";
            /** @description What calls with the key may do. Responses to writing calls show the employees that they create or update, whether or not the key may read. */
            scopes: ("employees:read" | "employees:write")[];
            /**
             * Format: date-time
             * @description When the key ends. Null if it does not.
             */
            expires_at: string | null;
            /** @description The networks from which the key may be used, in CIDR notation (IPv4 or IPv6). Null allows any address. A request may also name single addresses; an empty list is the same as null. */
            allowed_networks: string[] | null;
            /** @description The number of calls allowed in each period. */
            quota_limit: number;
            /**
             * @description How often the quota resets. Periods are calendar periods in UTC; weeks start on Monday.
             * @enum {string}
             */
            refresh_period: "hourly" | "daily" | "weekly" | "monthly";
            /** @description Usage in the current period. */
            usage: {
                requests_made: number;
                /** Format: date-time */
                window_start: string;
                /** Format: date-time */
                window_end: string;
            };
            /** Format: date-time */
            last_used: string | null;
            /** @description When writing calls of the key are expected: at least every so many hours, or by a time of day (`06:00`) on some weekdays (1 is Monday, 7 is Sunday), in the company's time zone and after that time of the day before. If none comes, the key needs attention. Null expects none. */
            expected_calls: {
                every_hours: number;
            } | {
                by_time: string;
                weekdays: number[];
            } | null;
            /** @description When the secret was last replaced, and until when the previous secret works. Null if it does not. */
            rotation: {
                /** Format: date-time */
                rotated_at: string | null;
                /** Format: date-time */
                previous_secret_expires_at: string | null;
                /** @description The last four characters of the secret. Null if it is older than version 1.1.0, which stores them. */
                previous_secret_last_four: string | null;
            };
            /** Format: date-time */
            created_at: string;
            /** @description The secret, sent as `x-api-key`. It is shown only once. */
            api_key: string;
        };
        Attention: {
            /** @description The most urgent first; of failed calls, those with the most records. Empty if all is well. */
            items: components["schemas"]["AttentionItem"][];
            /** @description The company's last call. Null if it has made none. */
            last_call: {
                log_id: string;
                /** Format: date-time */
                requested_at: string;
                /** @enum {string} */
                status: "Completed" | "Failed";
                records: number;
            } | null;
        };
        AttentionItem: {
            /**
             * @description What is wrong. More kinds may be added.
             * @enum {string}
             */
            kind: "ledger_disputed" | "ledger_unsigned" | "projection_parked" | "provider_failing" | "webhook_disabled" | "webhook_failing" | "quota_used" | "key_expired" | "call_missing" | "calls_failed" | "records_refused" | "work_failing" | "quota_nearly_used" | "key_expiring" | "key_unused";
            /** @description The API key, webhook, identity provider, read model, or work that it is about. */
            subject: {
                id: string;
                name: string;
            };
            /** Format: date-time */
            since: string | null;
            /** @description For `ledger_disputed`: `fault`, `error`. For `ledger_unsigned`: `error`. For `projection_parked`: `position`. For `provider_failing`: `fault`. For `webhook_disabled`: `reason`. For `webhook_failing`: `error`. For `quota_used`: `requests_made`, `quota_limit`, `resets_at`. For `key_expired`: `expires_at`. For `call_missing`: `expected_by`, `last_call_at`. For `calls_failed`: `code`, `calls`, `records`, `is_more`, `last_log_id`. For `records_refused`: `records`, `total`, `calls`, `is_more`, `last_log_id`. For `work_failing`: `work`. For `quota_nearly_used`: `requests_made`, `quota_limit`, `resets_at`. For `key_expiring`: `expires_at`. For `key_unused`: `created_at`. */
            details: {
                [key: string]: unknown;
            };
        };
        AttentionRaisedMessage: {
            /** @constant */
            type: "attention.raised";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The position of the event in the company's ledger. */
                position: number;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /**
                 * @description What is wrong, as in `GET /admin/v1/attention`. More kinds may be added.
                 * @enum {string}
                 */
                kind?: "ledger_disputed" | "ledger_unsigned" | "projection_parked" | "provider_failing" | "webhook_disabled" | "webhook_failing" | "quota_used" | "key_expired" | "call_missing" | "calls_failed" | "records_refused" | "work_failing" | "quota_nearly_used" | "key_expiring" | "key_unused";
                /** @description The id of the key, webhook, identity provider, or read model. */
                subject_id?: string;
                /** @description The code with which calls failed. */
                code?: string;
            };
        };
        AttentionResolvedMessage: {
            /** @constant */
            type: "attention.resolved";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The position of the event in the company's ledger. */
                position: number;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /**
                 * @description What is wrong, as in `GET /admin/v1/attention`. More kinds may be added.
                 * @enum {string}
                 */
                kind?: "ledger_disputed" | "ledger_unsigned" | "projection_parked" | "provider_failing" | "webhook_disabled" | "webhook_failing" | "quota_used" | "key_expired" | "call_missing" | "calls_failed" | "records_refused" | "work_failing" | "quota_nearly_used" | "key_expiring" | "key_unused";
                /** @description The id of the key, webhook, identity provider, or read model. */
                subject_id?: string;
                /** @description The code with which calls failed. */
                code?: string;
            };
        };
        /** @description An event of the ledger. */
        AuditEvent: {
            /** @description A position in the company's ledger: 1, 2, 3 and so on, without gaps. */
            position: number;
            /** @description The id of the call that made the event, and of its entry in Bulk User Logs. */
            call_id: string | null;
            /** @description The id of the employee, call, API key, webhook, identity provider, user, or company that the event is about. */
            stream: string;
            /** @description The number of the event in its stream: 1, 2, 3 and so on, without gaps. */
            version: number;
            /** @example EmployeeUpdated */
            type: string;
            /** @description The version of the structure of `data`. */
            schema_version: number;
            /** @description The index of the record in the call. */
            index: number | null;
            /** Format: date-time */
            recorded_at: string;
            /** @description The id of the API key, user, or identity provider that caused the event; `operator` for the command line; or `schedule` for what the service does by itself. */
            actor: string;
            /** @description Null after erasure. */
            data: {
                [key: string]: unknown;
            } | null;
        };
        BulkUserLogEntry: {
            /** @description `log_…`. Also the id of the call. */
            id: string;
            /**
             * @description Whether the call succeeded.
             * @enum {string}
             */
            status: "Completed" | "Failed";
            /**
             * @description The source of the entry.
             * @enum {string}
             */
            name: "Public API" | "File upload";
            /** Format: date-time */
            requested_at: string;
            /**
             * @description The operation of the call.
             * @enum {string}
             */
            operation: "create" | "update_one" | "update_many" | "upsert";
            counts: {
                total: number;
                updated: number;
                deactivated: number;
                failed: number;
                no_updates: number;
            };
            http_status: number;
            duration_ms: number;
            key: {
                /** @description The API id. */
                id: string;
                name: string;
            } | null;
            user: {
                id: string;
                name: string | null;
            } | null;
            file: {
                name: string | null;
                rows: number;
                part: {
                    number: number;
                    of: number;
                    first_row: number;
                    last_row: number;
                } | null;
            } | null;
            /** @description The ids of the entries whose refused records the file corrects. */
            corrects: string[];
            /** @description The ids of the newest entries that applied records of this one, from a file that corrects it. Only in the answer to a request for one entry. */
            corrected_by?: string[];
            correction?: {
                /**
                 * @description `corrected`: every record that the entry did not apply was applied since: all of a failed one, also the valid ones. `partly_corrected`: some were.
                 * @enum {string}
                 */
                state: "corrected" | "partly_corrected";
                /** @description How many of these records are known to be applied since. */
                applied: number;
                /** @description How many of its records it did not apply: all of a failed one. */
                total: number;
            } | null;
            request_id: string;
            error: {
                code: string;
                detail: string;
            } | null;
            rejected_body?: {
                /** @description The body as sent if it has at most 16384 characters, else the part around its error. Bytes that are not UTF-8 are U+FFFD, U+0000 is left out, and secrets of the service are masked. */
                text: string;
                /** @description The length of the whole body. */
                bytes: number;
                /** @description Whether `text` is only a part of the body. */
                truncated: boolean;
                error: {
                    /** @description The index of the character in `text`. */
                    at: number;
                    /** @description The line in the whole body, from 1. */
                    line: number;
                    /** @description The character in the line, from 1. */
                    column: number;
                } | null;
            } | null;
            client?: {
                /** @description The IP address. */
                address: string;
                user_agent: string | null;
            } | null;
        };
        BulkUserLogRecord: {
            index: number | null;
            employee_id: string | null;
            status: ("Synced" | "No Updates" | "Reactivated" | "Deactivated") | null;
            attributes: {
                [key: string]: unknown;
            } | null;
            changes: {
                [key: string]: {
                    from: string | number | boolean | null;
                    to: string | number | boolean | null;
                };
            } | null;
            /** @description The refused record, unchanged, apart from secrets such as passwords, which are "…". A record larger than 65536 bytes is cut to the start of its JSON text. */
            record: unknown;
            /** @description Whether `record` is only the start of what was sent. */
            truncated: boolean;
            errors: {
                pointer: string;
                code: string;
                message: string;
            }[] | null;
            /** @description The number of further errors of the record. */
            errors_omitted: number;
            /** @description Whether the data of the record is erased: the person was erased, or it is a refused record past its retention period. Only its index and status remain. */
            erased: boolean;
        };
        CallCounts: {
            total: number;
            updated: number;
            deactivated: number;
            failed: number;
            no_updates: number;
        };
        CallWarning: {
            /** @enum {string} */
            code: "inactive_employees";
            /** @description The number of records. */
            count: number;
            message: string;
        };
        /** @description The event that last set an attribute. */
        Cause: {
            /** @description A position in the company's ledger: 1, 2, 3 and so on, without gaps. */
            position: number;
            /** Format: date-time */
            recorded_at: string;
            /** @description The id of the call that made the event, and of its entry in Bulk User Logs. */
            call_id: string | null;
            /** @description The id of the API key, user, or identity provider that caused the event; `operator` for the command line; or `schedule` for what the service does by itself. */
            actor: string;
            /** @example EmployeeUpdated */
            type: string;
        };
        Company: {
            id: string;
            name: string;
            /** @description IANA name of the time zone in which pages show times, such as `Europe/Berlin`. API responses are always in UTC. */
            time_zone: string;
            country: string | null;
            /** Format: date-time */
            created_at: string;
        };
        ConsistencyProof: {
            /** @description A position in the company's ledger: 1, 2, 3 and so on, without gaps. */
            from: number;
            /** @description A position in the company's ledger: 1, 2, 3 and so on, without gaps. */
            to: number;
            /** @description 32 bytes in base64. */
            from_root: string;
            /** @description 32 bytes in base64. */
            to_root: string;
            /** @description From the bottom to the root. */
            hashes: string[];
        };
        /** @description With `validate_only`, `log_id` is absent, and the `id` of each employee is null. Only with `all_or_none=false`: `counts`, `results`, and, if there are more errors than are listed, `errors_omitted`; `employees` then has those that were created. With `all_or_none=false`, `id` is null if it is not known: of a record that failed, or of an employee that `validate_only` would create. */
        CreatedEmployees: {
            log_id?: components["schemas"]["LogId"];
            /** @description In the order sent. */
            employees: components["schemas"]["EmployeeAsCreated"][];
            counts?: components["schemas"]["CallCounts"];
            /** @description What may have been overlooked. `inactive_employees`: records name inactive employees and set no status, so these stay inactive. Versions may add codes. */
            warnings?: components["schemas"]["CallWarning"][];
            /** @description In the order sent. */
            results?: components["schemas"]["PartlyAppliedRecord"][];
            /** @description The number of further errors. The first 16 of a record and 1000 of a call are listed. */
            errors_omitted?: number;
        };
        /** @description An employee. Every field is present, null when unset. */
        Employee: {
            id: components["schemas"]["EmployeeId"];
            first_name: string | null;
            last_name: string | null;
            /** Format: idn-email */
            email: string | null;
            external_id: string | null;
            employee_number: string | null;
            job_title: string | null;
            department: string | null;
            division: string | null;
            location: string | null;
            manager_id: components["schemas"]["EmployeeId"] | null;
            /** @description E.164. */
            phone: string | null;
            /** Format: date */
            start_date: string | null;
            /** Format: date */
            termination_date: string | null;
            /** @enum {string} */
            status: "active" | "inactive";
            /** @description Your own attributes. */
            custom_attributes: {
                [key: string]: string | number | boolean;
            };
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            deactivated_at: components["schemas"]["Timestamp"] | null;
            version: number;
        };
        /** @description A new employee. With `validate_only`, the `id` is null, because it is assigned on creation. So is the `manager_id` if the same call creates the manager. */
        EmployeeAsCreated: {
            id: components["schemas"]["EmployeeId"] | null;
            first_name: string | null;
            last_name: string | null;
            /** Format: idn-email */
            email: string | null;
            external_id: string | null;
            employee_number: string | null;
            job_title: string | null;
            department: string | null;
            division: string | null;
            location: string | null;
            manager_id: components["schemas"]["EmployeeId"] | null;
            /** @description E.164. */
            phone: string | null;
            /** Format: date */
            start_date: string | null;
            /** Format: date */
            termination_date: string | null;
            /** @enum {string} */
            status: "active" | "inactive";
            /** @description Your own attributes. */
            custom_attributes: {
                [key: string]: string | number | boolean;
            };
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            deactivated_at: components["schemas"]["Timestamp"] | null;
            version: number;
        };
        /** @description A JSON Merge Patch that also identifies its employee: by `id` if present, else by `external_id` unless null, else by `email`. One of them is required. The fields that do not identify the employee are new values. */
        EmployeeBulkPatch: {
            id?: components["schemas"]["EmployeeId"];
            first_name?: string | null;
            last_name?: string | null;
            /** @description An email address. Stored in lower case and Unicode NFKC. */
            email?: string | null;
            external_id?: string | null;
            employee_number?: string | null;
            job_title?: string | null;
            department?: string | null;
            division?: string | null;
            location?: string | null;
            manager_id?: components["schemas"]["EmployeeId"] | null;
            /** @description A number in any usual spelling, with its country code unless the company has a country. Stored as E.164. */
            phone?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            start_date?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            termination_date?: string | null;
            /**
             * @description `inactive` deactivates the employee; `active` reactivates the employee.
             * @enum {string}
             */
            status?: "active" | "inactive";
            /** @description Your own attributes. `null` removes one. The employee can have at most 32 after the call. A value takes the type that the attribute has if both types write it the same. */
            custom_attributes?: {
                [key: string]: string | number | boolean | null;
            } | null;
            /** @description Identifies the manager by external id, instead of `manager_id`. */
            manager_external_id?: string | null;
            /** @description Identifies the manager by email, instead of `manager_id`. */
            manager_email?: string | null;
        };
        /** @description A new employee, with `first_name` or `last_name`, and `email` or `external_id`. The manager may be another record of the same call. */
        EmployeeCreate: {
            first_name?: string | null;
            last_name?: string | null;
            /** @description An email address. Stored in lower case and Unicode NFKC. */
            email?: string | null;
            external_id?: string | null;
            employee_number?: string | null;
            job_title?: string | null;
            department?: string | null;
            division?: string | null;
            location?: string | null;
            manager_id?: components["schemas"]["EmployeeId"] | null;
            /** @description A number in any usual spelling, with its country code unless the company has a country. Stored as E.164. */
            phone?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            start_date?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            termination_date?: string | null;
            /**
             * @description Default: `"active"`.
             * @enum {string}
             */
            status?: "active" | "inactive";
            /** @description Your own attributes. `null` removes one. The employee can have at most 32 after the call. A value takes the type that the attribute has if both types write it the same. */
            custom_attributes?: {
                [key: string]: string | number | boolean | null;
            } | null;
            /** @description Identifies the manager by external id, instead of `manager_id`. */
            manager_external_id?: string | null;
            /** @description Identifies the manager by email, instead of `manager_id`. */
            manager_email?: string | null;
        };
        EmployeeCreatedMessage: {
            /** @constant */
            type: "employee.created";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                employee_id: components["schemas"]["EmployeeId"];
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The number of the event in the history of the employee. */
                version: number;
                log_id: components["schemas"]["LogId"] | null;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The names of the attributes. */
                changed?: string[];
                /** @description The attributes that were set. Only if the webhook includes data. */
                attributes?: {
                    [key: string]: unknown;
                };
            };
        };
        EmployeeDeactivatedMessage: {
            /** @constant */
            type: "employee.deactivated";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                employee_id: components["schemas"]["EmployeeId"];
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The number of the event in the history of the employee. */
                version: number;
                log_id: components["schemas"]["LogId"] | null;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
            };
        };
        EmployeeErasedMessage: {
            /** @constant */
            type: "employee.erased";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                employee_id: components["schemas"]["EmployeeId"];
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The number of the event in the history of the employee. */
                version: number;
                log_id: components["schemas"]["LogId"] | null;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
            };
        };
        /** @description The id of an employee. A TypeID. */
        EmployeeId: string;
        EmployeeList: {
            items: components["schemas"]["Employee"][];
            /** @description Null on the last page. */
            next_cursor: string | null;
        };
        /** @description A JSON Merge Patch (RFC 7396): absent fields keep their value, null clears a field. */
        EmployeePatch: {
            first_name?: string | null;
            last_name?: string | null;
            /** @description An email address. Stored in lower case and Unicode NFKC. */
            email?: string | null;
            external_id?: string | null;
            employee_number?: string | null;
            job_title?: string | null;
            department?: string | null;
            division?: string | null;
            location?: string | null;
            manager_id?: components["schemas"]["EmployeeId"] | null;
            /** @description A number in any usual spelling, with its country code unless the company has a country. Stored as E.164. */
            phone?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            start_date?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            termination_date?: string | null;
            /**
             * @description `inactive` deactivates the employee; `active` reactivates the employee.
             * @enum {string}
             */
            status?: "active" | "inactive";
            /** @description Your own attributes. `null` removes one. The employee can have at most 32 after the call. A value takes the type that the attribute has if both types write it the same. */
            custom_attributes?: {
                [key: string]: string | number | boolean | null;
            } | null;
            /** @description Identifies the manager by external id, instead of `manager_id`. */
            manager_external_id?: string | null;
            /** @description Identifies the manager by email, instead of `manager_id`. */
            manager_email?: string | null;
        };
        EmployeeReactivatedMessage: {
            /** @constant */
            type: "employee.reactivated";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                employee_id: components["schemas"]["EmployeeId"];
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The number of the event in the history of the employee. */
                version: number;
                log_id: components["schemas"]["LogId"] | null;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
            };
        };
        EmployeeThen: {
            /** @description The requested position, or the last position at the requested time. */
            position: number;
            employee: components["schemas"]["Employee"];
            /** @description By attribute name. A custom attribute is named like `custom_attributes.grade`. */
            causes: {
                [key: string]: components["schemas"]["Cause"];
            };
        };
        EmployeeUpdatedMessage: {
            /** @constant */
            type: "employee.updated";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                employee_id: components["schemas"]["EmployeeId"];
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The number of the event in the history of the employee. */
                version: number;
                log_id: components["schemas"]["LogId"] | null;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The names of the attributes. */
                changed?: string[];
                /** @description The old and the new value of each attribute. Only if the webhook includes data. */
                changes?: {
                    [key: string]: {
                        from: unknown;
                        to: unknown;
                    };
                };
            };
        };
        /** @description A JSON Merge Patch that identifies its employee by `external_id` unless null, else by `email`; one of them is required. If there is no such employee, the record creates one and needs `first_name` or `last_name`. */
        EmployeeUpsert: {
            first_name?: string | null;
            last_name?: string | null;
            /** @description An email address. Stored in lower case and Unicode NFKC. */
            email?: string | null;
            external_id?: string | null;
            employee_number?: string | null;
            job_title?: string | null;
            department?: string | null;
            division?: string | null;
            location?: string | null;
            manager_id?: components["schemas"]["EmployeeId"] | null;
            /** @description A number in any usual spelling, with its country code unless the company has a country. Stored as E.164. */
            phone?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            start_date?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            termination_date?: string | null;
            /**
             * @description `inactive` deactivates the employee; `active` reactivates the employee.
             * @enum {string}
             */
            status?: "active" | "inactive";
            /** @description Your own attributes. `null` removes one. The employee can have at most 32 after the call. A value takes the type that the attribute has if both types write it the same. */
            custom_attributes?: {
                [key: string]: string | number | boolean | null;
            } | null;
            /** @description Identifies the manager by external id, instead of `manager_id`. */
            manager_external_id?: string | null;
            /** @description Identifies the manager by email, instead of `manager_id`. */
            manager_email?: string | null;
        };
        Erasure: {
            erased: {
                /** @description Null for a person who was never created. */
                employee_id: string | null;
                /** @description The number of events whose data was erased. 0 if the person appeared only beside them, such as in a body that could not be read or in an uploaded file. */
                positions: number;
            };
            /** @description The ledger position of the event that records the erasure. */
            position: number;
        };
        InclusionProof: {
            /** @description A position in the company's ledger: 1, 2, 3 and so on, without gaps. */
            position: number;
            /** @description A position in the company's ledger: 1, 2, 3 and so on, without gaps. */
            size: number;
            /** @description 32 bytes in base64. */
            leaf: string;
            /** @description 32 bytes in base64. */
            root: string;
            /** @description From the leaf to the root. */
            hashes: string[];
        };
        InvitedUser: {
            id: string;
            /** @description Stored in lower case and Unicode NFKC. Empty after the user is erased, like the name. */
            email: string;
            name: string;
            /** @enum {string} */
            role: "admin" | "auditor" | "member";
            /**
             * @description A pending user has no way to sign in yet.
             * @enum {string}
             */
            status: "pending" | "active" | "removed";
            /**
             * Format: date-time
             * @description When the unused one-time token expires or expired.
             */
            invitation_expires_at: string | null;
            /**
             * Format: date-time
             * @description Null if the user has never signed in, or only before version 1.1.0. Tokens do not count.
             */
            last_sign_in_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            removed_at: string | null;
            invitation: {
                /** @description Sets a password, once. It is shown only once. */
                token: string;
                /** Format: date-time */
                expires_at: string;
                /** @description Whether a message with the link is on its way to the user. False where the service sends no email, and after too many messages in an hour: pass the token on yourself. */
                emailed: boolean;
            };
        };
        KeyVerification: {
            /** @description The company that owns the key. */
            company_name: string;
            /**
             * Format: date-time
             * @description The most recent call with this key before this one.
             */
            last_used: string;
            is_enabled: boolean;
            /** @description The number of requests allowed in each period. */
            quota_limit: number;
            /** @description The number of requests made in the current period. */
            requests_made: number;
            /**
             * @description The quota period: a calendar hour, day, week (from Monday) or month, in UTC.
             * @enum {string}
             */
            refresh_period: "hourly" | "daily" | "weekly" | "monthly";
        };
        /** @description The id of a call and of its entry in Bulk User Logs. A TypeID. */
        LogId: string;
        /**
         * @description What the call did to the employee; `failed` if it refused the record.
         * @enum {string}
         */
        PartialResult: "created" | "synced" | "no_updates" | "reactivated" | "deactivated" | "failed";
        /** @description The answer with `all_or_none=false`, if at least one record was applied. Created employees count in `total` alone. With `validate_only`, `log_id` is absent. With `all_or_none=false`, `id` is null if it is not known: of a record that failed, or of an employee that `validate_only` would create. */
        PartlyApplied: {
            log_id?: components["schemas"]["LogId"];
            counts: components["schemas"]["CallCounts"];
            /** @description What may have been overlooked. `inactive_employees`: records name inactive employees and set no status, so these stay inactive. Versions may add codes. */
            warnings: components["schemas"]["CallWarning"][];
            /** @description In the order sent. */
            results: components["schemas"]["PartlyAppliedRecord"][];
            /** @description The number of further errors. The first 16 of a record and 1000 of a call are listed. */
            errors_omitted?: number;
        };
        PartlyAppliedRecord: {
            index: number;
            id: components["schemas"]["EmployeeId"] | null;
            status: ("active" | "inactive") | null;
            result: components["schemas"]["PartialResult"];
            /** @description Names of the attributes that changed. A custom attribute is named like `custom_attributes.grade`. */
            changed: string[];
            /** @description The errors of a record that failed. Empty for any other. */
            errors: components["schemas"]["RecordError"][];
        };
        PersonalDataReport: {
            title: string;
            /** @description Who the report is about, and when it was made. */
            facts: {
                [key: string]: unknown;
            };
            /** @description What is held, by the kind of place. */
            sections: {
                [key: string]: {
                    title: string;
                    /** @description What this section contains, in sentences. */
                    description: string;
                    /** @description The fields that the person's erasure deletes; none if all stay. */
                    erases: string[];
                    items: {
                        [key: string]: unknown;
                    }[];
                };
            };
        };
        /** @description Why a call was refused (RFC 9457). `log_id` is present if the call has an entry in Bulk User Logs. */
        Problem: {
            /**
             * Format: uri-reference
             * @description The address of a page about the code.
             * @example /problems/validation_failed
             */
            type: string;
            title: string;
            status: number;
            /** @description What went wrong, for programs. */
            code: string;
            /** @description What went wrong, for people. */
            detail: string;
            /** @description Same as the `X-Request-Id` header. */
            request_id: string;
            log_id?: components["schemas"]["LogId"];
            /** @description The errors in the order of the records: the first 16 of each record, and at most 1000 in total. */
            errors: components["schemas"]["RecordError"][];
            /** @description The number of errors left out. Absent if `errors` is complete. */
            errors_omitted?: number;
            /** @description What is to be chosen. Only of `file_ambiguous`. */
            question?: {
                /** @description The parameter to add to the request. */
                parameter: string;
                /** @description The likeliest first. */
                choices: {
                    /** @description The value of the parameter. */
                    value: string;
                    /** @description What people call it. */
                    name: string;
                    /** @description Texts of the file, read so. */
                    samples: string[];
                }[];
            };
        };
        /** @description The exact strings that were hashed. `data` and `salt` are null after erasure. */
        ProofEvent: {
            /** @description The SHA-256 of a zero byte followed by its UTF-8 bytes is the leaf (RFC 6962). */
            envelope: string;
            /** @description The SHA-256 of the salt followed by these bytes is `data_hash` in the envelope. */
            data: string | null;
            /** @description 16 bytes in hexadecimal. */
            salt: string | null;
        };
        RecordError: {
            /** @description Zero-based index of the record in the call. */
            index: number;
            /** @description The employee's id, if known. */
            id: string | null;
            /**
             * @description JSON Pointer (RFC 6901) into the body as sent. If the name of a field is longer than 256 characters, it points to the object that contains the field.
             * @example /employees/0/email
             */
            pointer: string;
            /**
             * @description - `required`: A required field is missing.
             *     - `invalid_type`: The value has the wrong JSON type.
             *     - `invalid_format`: The string has the wrong format.
             *     - `too_long`: Longer than the limit, or a record or `custom_attributes` with too many members. The message names the limit.
             *     - `too_short`: Shorter than the limit. The message names the limit.
             *     - `invalid_value`: The value is not allowed, or conflicts with another field.
             *     - `null_not_allowed`: The field cannot be null.
             *     - `unknown_field`: This field does not exist.
             *     - `read_only_field`: The field is read-only.
             *     - `missing_locator`: The record does not identify its employee.
             *     - `employee_not_found`: No such employee exists.
             *     - `already_exists`: Another employee has this value.
             *     - `inactive_employee_exists`: An inactive employee has this value. `id` is the id of that employee.
             *     - `duplicate_in_batch`: Another record of the call refers to the same employee, or has the same value.
             *     - `manager_not_found`: No employee matches this manager.
             *     - `manager_cycle`: The employee would report to themselves, directly or indirectly.
             * @enum {string}
             */
            code: "required" | "invalid_type" | "invalid_format" | "too_long" | "too_short" | "invalid_value" | "null_not_allowed" | "unknown_field" | "read_only_field" | "missing_locator" | "employee_not_found" | "already_exists" | "inactive_employee_exists" | "duplicate_in_batch" | "manager_not_found" | "manager_cycle";
            /** @description Describes the error and the limit. Never contains the value that was sent. */
            message: string;
        };
        /**
         * @description What an update did to the employee. If several apply, the first of deactivated, reactivated, synced and no_updates.
         * @enum {string}
         */
        RecordResult: "synced" | "no_updates" | "reactivated" | "deactivated";
        /**
         * Format: date-time
         * @description RFC 3339, UTC, with milliseconds.
         */
        Timestamp: string;
        /** @description `log_id` is absent with `validate_only`. */
        UpdatedEmployee: {
            log_id?: components["schemas"]["LogId"];
            result: components["schemas"]["RecordResult"];
            /** @description Names of the attributes that changed. A custom attribute is named like `custom_attributes.grade`. */
            changed: string[];
            /** @description What may have been overlooked. `inactive_employees`: records name inactive employees and set no status, so these stay inactive. Versions may add codes. */
            warnings: components["schemas"]["CallWarning"][];
            employee: components["schemas"]["Employee"];
        };
        /** @description `log_id` is absent with `validate_only`. */
        UpdatedEmployees: {
            log_id?: components["schemas"]["LogId"];
            counts: components["schemas"]["CallCounts"];
            /** @description What may have been overlooked. `inactive_employees`: records name inactive employees and set no status, so these stay inactive. Versions may add codes. */
            warnings: components["schemas"]["CallWarning"][];
            results: {
                index: number;
                id: components["schemas"]["EmployeeId"];
                /**
                 * @description The employee's status after the call.
                 * @enum {string}
                 */
                status: "active" | "inactive";
                result: components["schemas"]["RecordResult"];
                /** @description Names of the attributes that changed. A custom attribute is named like `custom_attributes.grade`. */
                changed: string[];
            }[];
        };
        Upload: {
            /** @description `upl_…` */
            id: string;
            /**
             * @description `previewing`: what each part would do is being counted. `previewed`: it can be applied. `applying`: part after part becomes a call. `stopped`: its user is no longer an administrator; once they are again, apply it to resume. `ended`: every part was applied, refused, or canceled.
             * @enum {string}
             */
            state: "previewing" | "previewed" | "applying" | "stopped" | "ended";
            file_name: string;
            /** @enum {string} */
            operation: "upsert" | "update_many" | "create";
            /** @description Who uploaded the file. Only this user can apply it. */
            user_id: string;
            rows: number;
            /** @description Whether a row that cannot be applied keeps its part from being applied, once the upload is applied. */
            all_or_none: boolean;
            /** @description The ids of the failed entries that the file corrects. */
            corrects: string[];
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When the upload is deleted. Its entries stay.
             */
            expires_at: string;
            /** @description What the mapping leaves open. Rows cannot be read before it is answered, or `unreadable_values` is `leave_out`. */
            questions: {
                /**
                 * @description The member of the mapping, or of its column, that is null.
                 * @enum {string}
                 */
                about: "to" | "dates" | "names" | "by" | "words" | "past_end_dates" | "country";
                /** @description The place of the column in the mapping, from 1. */
                column?: number;
                header?: string;
                /** @description The words whose meaning is open. */
                words?: string[];
            }[];
            /** @description The line that names the columns. Null for JSON, and when it is not known any more. */
            header_row: number | null;
            /** @description What was left out, such as titles and totals. */
            left_out: {
                /** @description The first line, from 1; of a workbook, the row. */
                line: number | null;
                last_line: number | null;
                /** @enum {string} */
                reason: "separator_line" | "above_header" | "second_header" | "repeated_header" | "empty" | "total" | "below_table" | "not_a_user" | "other_sheet" | "incomplete" | "secret_column";
                message: string;
            }[];
            left_out_omitted: number;
            parts: {
                /** @description From 1. */
                number: number;
                /**
                 * @description Whether the rows are those of the file, or people who are not in it.
                 * @enum {string}
                 */
                kind: "rows" | "missing_people";
                /** @description From 1. The line that names the columns does not count. */
                first_row: number;
                rows: number;
                /** @description How many of the rows were erased with a person. */
                erased: number;
                counts: {
                    created: number;
                    changed: number;
                    unchanged: number;
                    refused: number;
                    unreadable: number;
                    inactive: number;
                } | null;
                /**
                 * @description What became of the part. A refused part changed nothing. One without a readable row has no entry.
                 * @enum {string}
                 */
                state: "waiting" | "applied" | "refused" | "canceled";
                /** @description The id that the entry of the part has, or will have. */
                log_id: string;
            }[];
            /** @description What became of the rows: `applied`, `refused`, `canceled`, `waiting`, and `erased` add up to `rows`, and `created`, `changed`, and `unchanged` to `applied`. `not-applied.csv` has the refused, canceled, and waiting ones. */
            summary: {
                /** @description The numbers in one line, to mail it. */
                text: string;
                rows: number;
                applied: number;
                created: number;
                changed: number;
                unchanged: number;
                refused: number;
                canceled: number;
                waiting: number;
                erased: number;
            };
        };
        UploadPreview: {
            /** @description From 1. */
            number: number;
            /** @description The rows by what a call would do to them without those that are refused or unreadable, which `all_or_none=false` leaves out. Of the changed and unchanged rows, `inactive` name inactive employees and set no status, so these stay inactive. */
            counts: {
                created: number;
                changed: number;
                unchanged: number;
                refused: number;
                unreadable: number;
                inactive: number;
            };
            /** @description The first errors. */
            errors: {
                row: number | null;
                line: number | null;
                /** @description JSON Pointer into the record; empty for the row itself, or a cell that cannot be read. */
                pointer: string;
                message: string;
            }[];
            errors_omitted: number;
            /** @description The first values that were left out, as the mapping says. */
            notes: {
                row: number | null;
                line: number | null;
                /** @description JSON Pointer into the record; empty for the row itself, or a cell that cannot be read. */
                pointer: string;
                message: string;
            }[];
            /** @description The columns that become nothing. */
            unknown_columns: string[];
            /** @description The rows whose managers are in earlier parts. The preview leaves these managers out. */
            rows_awaiting_managers: number;
        };
        /**
         * @description What the call did to the employee.
         * @enum {string}
         */
        UpsertResult: "created" | "synced" | "no_updates" | "reactivated" | "deactivated";
        /** @description Created employees count in `total` alone, and their `changed` is empty. With `validate_only`, `log_id` is absent, and the `id` of an employee that would be created is null. */
        UpsertedEmployees: {
            log_id?: components["schemas"]["LogId"];
            counts: components["schemas"]["CallCounts"];
            /** @description What may have been overlooked. `inactive_employees`: records name inactive employees and set no status, so these stay inactive. Versions may add codes. */
            warnings: components["schemas"]["CallWarning"][];
            results: {
                index: number;
                id: components["schemas"]["EmployeeId"] | null;
                /**
                 * @description The employee's status after the call.
                 * @enum {string}
                 */
                status: "active" | "inactive";
                result: components["schemas"]["UpsertResult"];
                /** @description Names of the attributes that changed. A custom attribute is named like `custom_attributes.grade`. */
                changed: string[];
            }[];
        };
        User: {
            id: string;
            /** @description Stored in lower case and Unicode NFKC. Empty after the user is erased, like the name. */
            email: string;
            name: string;
            /** @enum {string} */
            role: "admin" | "auditor" | "member";
            /**
             * @description A pending user has no way to sign in yet.
             * @enum {string}
             */
            status: "pending" | "active" | "removed";
            /**
             * Format: date-time
             * @description When the unused one-time token expires or expired.
             */
            invitation_expires_at: string | null;
            /**
             * Format: date-time
             * @description Null if the user has never signed in, or only before version 1.1.0. Tokens do not count.
             */
            last_sign_in_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            removed_at: string | null;
        };
        UserToken: {
            id: string;
            user_id: string;
            name: string;
            /** @description The last four characters of the secret. Null if it is older than version 1.1.0, which stores them. */
            secret_last_four: string | null;
            /** @description Restricts the token: `audit` allows only the audit endpoint, if the role of the user allows it. Null: everything that the user may do. */
            scope: "audit" | null;
            /** @enum {string} */
            status: "active" | "expired" | "revoked";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /**
             * Format: date-time
             * @description Accurate to the minute. Null if the token was never used.
             */
            last_used: string | null;
            /** Format: date-time */
            revoked_at: string | null;
        };
        UserTokenWithSecret: {
            id: string;
            user_id: string;
            name: string;
            /** @description The last four characters of the secret. Null if it is older than version 1.1.0, which stores them. */
            secret_last_four: string | null;
            /** @description Restricts the token: `audit` allows only the audit endpoint, if the role of the user allows it. Null: everything that the user may do. */
            scope: "audit" | null;
            /** @enum {string} */
            status: "active" | "expired" | "revoked";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /**
             * Format: date-time
             * @description Accurate to the minute. Null if the token was never used.
             */
            last_used: string | null;
            /** Format: date-time */
            revoked_at: string | null;
            /** @description The token, sent as `Authorization: Bearer`. It is shown only once. */
            token: string;
        };
        Webhook: {
            /** @description The id of the webhook: `whk_…`. */
            id: string;
            /** @description Increases with each change. */
            version: number;
            /** @description Where messages are sent: an https URL without a user name, password, or fragment. */
            url: string;
            /** @description What the webhook is for. May be empty. */
            description: string;
            /** @description The types of the messages to send. */
            types: ("api_call.completed" | "api_call.failed" | "employee.created" | "employee.updated" | "employee.deactivated" | "employee.reactivated" | "employee.erased" | "api_key.issued" | "api_key.changed" | "api_key.rotated" | "api_key.disabled" | "api_key.enabled" | "api_key.revoked" | "attention.raised" | "attention.resolved")[];
            /** @description Whether messages contain values. By default they contain only ids, positions and the names of what changed, so that no personal data leaves the service. */
            include_data: boolean;
            /** @description The number of messages that may be under way at once. Those of one employee always follow each other. */
            concurrency: number;
            /**
             * @description A disabled webhook was stopped by the service. Resume it when its receiver works again.
             * @enum {string}
             */
            status: "enabled" | "paused" | "disabled";
            disabled: {
                /**
                 * @description `gone`: the receiver answered 410. `failing`: it refused the same message for three days.
                 * @enum {string}
                 */
                reason: "gone" | "failing";
                /** Format: date-time */
                at: string;
            } | null;
            /** @description Everything up to this position of the company's ledger has been delivered or needs no delivery. */
            position: number;
            /** @description The number of events after that position. */
            behind: number;
            /** @description Null if the last delivery succeeded. */
            failing: {
                /** Format: date-time */
                since: string;
                /** @description Failed attempts since then. */
                attempts: number;
                /** Format: date-time */
                next_attempt_at: string | null;
                /** @description Why the last attempt failed. */
                reason: string | null;
            } | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            secret_rotated_at: string | null;
            /**
             * Format: date-time
             * @description Until when messages are signed with the previous secret as well. Null if they are not.
             */
            previous_secret_expires_at: string | null;
        };
        /** @description One attempt to deliver a message. Kept for 30 days. */
        WebhookDelivery: {
            /** @description The id of the delivery: `dlv_…`. */
            id: string;
            /**
             * @description The type of the message.
             * @enum {string}
             */
            type: "api_call.completed" | "api_call.failed" | "employee.created" | "employee.updated" | "employee.deactivated" | "employee.reactivated" | "employee.erased" | "api_key.issued" | "api_key.changed" | "api_key.rotated" | "api_key.disabled" | "api_key.enabled" | "api_key.revoked" | "attention.raised" | "attention.resolved" | "webhook.ping";
            /** @description The position of the event that the message reports. Null for a ping. */
            position: number | null;
            /** Format: date-time */
            sent_at: string;
            duration_ms: number;
            /**
             * @description The receiver accepts a message by answering with a status from 200 to 299.
             * @enum {string}
             */
            status: "delivered" | "failed";
            /** @description The status that the receiver answered. Null if it did not answer. */
            http_status: number | null;
            /** @description Why it failed. Null if it did not. */
            error: string | null;
            /** @description The start of the receiver's answer. Null if there was none, or if the event has been erased. */
            answer: string | null;
            /** @description What was sent. Only in the answer to a request for one delivery. Null if the ledger no longer has the event, because it was restored to an earlier state. */
            request?: {
                /** @description The headers, without `webhook-signature`, which is not kept. */
                headers: {
                    [key: string]: string;
                };
                /** @description The exact text that was signed. It is not stored, but made from the event once more. */
                body: string;
                /** @description Whether the data of the event are erased. Then `body` has no names and no values, even if they were sent. */
                erased: boolean;
            } | null;
        };
        WebhookPingMessage: {
            /** @constant */
            type: "webhook.ping";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The id of the webhook. */
                webhook_id: string;
            };
        };
        WebhookWithSecret: {
            /** @description The id of the webhook: `whk_…`. */
            id: string;
            /** @description Increases with each change. */
            version: number;
            /** @description Where messages are sent: an https URL without a user name, password, or fragment. */
            url: string;
            /** @description What the webhook is for. May be empty. */
            description: string;
            /** @description The types of the messages to send. */
            types: ("api_call.completed" | "api_call.failed" | "employee.created" | "employee.updated" | "employee.deactivated" | "employee.reactivated" | "employee.erased" | "api_key.issued" | "api_key.changed" | "api_key.rotated" | "api_key.disabled" | "api_key.enabled" | "api_key.revoked" | "attention.raised" | "attention.resolved")[];
            /** @description Whether messages contain values. By default they contain only ids, positions and the names of what changed, so that no personal data leaves the service. */
            include_data: boolean;
            /** @description The number of messages that may be under way at once. Those of one employee always follow each other. */
            concurrency: number;
            /**
             * @description A disabled webhook was stopped by the service. Resume it when its receiver works again.
             * @enum {string}
             */
            status: "enabled" | "paused" | "disabled";
            disabled: {
                /**
                 * @description `gone`: the receiver answered 410. `failing`: it refused the same message for three days.
                 * @enum {string}
                 */
                reason: "gone" | "failing";
                /** Format: date-time */
                at: string;
            } | null;
            /** @description Everything up to this position of the company's ledger has been delivered or needs no delivery. */
            position: number;
            /** @description The number of events after that position. */
            behind: number;
            /** @description Null if the last delivery succeeded. */
            failing: {
                /** Format: date-time */
                since: string;
                /** @description Failed attempts since then. */
                attempts: number;
                /** Format: date-time */
                next_attempt_at: string | null;
                /** @description Why the last attempt failed. */
                reason: string | null;
            } | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            secret_rotated_at: string | null;
            /**
             * Format: date-time
             * @description Until when messages are signed with the previous secret as well. Null if they are not.
             */
            previous_secret_expires_at: string | null;
            /** @description Signs messages, as Standard Webhooks specifies: `whsec_…`. Shown only once. */
            secret: string;
        };
    };
    responses: {
        /**
         * @description `admin_only`: Only company administrators can do this.
         *
         *     `cross_site_request`: The request came from another site.
         *
         *     `reauthentication_required`: This needs the password, or a recent sign-in.
         *
         *     `role_required`: Your role does not allow this.
         *
         *     `session_required`: This needs a browser session.
         */
        AdminAdminOnlyCrossSiteRequestReauthenticationRequiredRoleRequiredSessionRequired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 403;
                    /** @enum {string} */
                    code?: "admin_only" | "cross_site_request" | "reauthentication_required" | "role_required" | "session_required";
                };
            };
        };
        /**
         * @description `admin_only`: Only company administrators can do this.
         *
         *     `cross_site_request`: The request came from another site.
         *
         *     `role_required`: Your role does not allow this.
         */
        AdminAdminOnlyCrossSiteRequestRoleRequired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 403;
                    /** @enum {string} */
                    code?: "admin_only" | "cross_site_request" | "role_required";
                };
            };
        };
        /**
         * @description `break_glass_user`: The user is the break-glass administrator.
         *
         *     `last_admin`: The company needs at least one administrator.
         */
        AdminBreakGlassUserLastAdmin: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "break_glass_user" | "last_admin";
                };
            };
        };
        /**
         * @description `break_glass_user`: The user is the break-glass administrator.
         *
         *     `last_admin`: The company needs at least one administrator.
         *
         *     `user_removed`: The user has been removed.
         */
        AdminBreakGlassUserLastAdminUserRemoved: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "break_glass_user" | "last_admin" | "user_removed";
                };
            };
        };
        /**
         * @description `break_glass_user`: The user is the break-glass administrator.
         *
         *     `own_password`: Users cannot reset their own password.
         *
         *     `user_removed`: The user has been removed.
         */
        AdminBreakGlassUserOwnPasswordUserRemoved: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "break_glass_user" | "own_password" | "user_removed";
                };
            };
        };
        /**
         * @description `delivery_not_found`: No such delivery.
         *
         *     `webhook_not_found`: No such webhook.
         */
        AdminDeliveryNotFoundWebhookNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "delivery_not_found" | "webhook_not_found";
                };
            };
        };
        /** @description `employee_not_found`: No such employee. */
        AdminEmployeeNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "employee_not_found";
                };
            };
        };
        /**
         * @description `employee_not_found`: No such employee.
         *
         *     `user_not_found`: No such user.
         */
        AdminEmployeeNotFoundUserNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "employee_not_found" | "user_not_found";
                };
            };
        };
        /**
         * @description `file_ambiguous`: The file can be read in several ways.
         *
         *     `validation_failed`: One or more records are not valid.
         */
        AdminFileAmbiguousValidationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 422;
                    /** @enum {string} */
                    code?: "file_ambiguous" | "validation_failed";
                };
            };
        };
        /** @description `former_name`: No employee has this identifier now. */
        AdminFormerName: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "former_name";
                };
            };
        };
        /** @description `internal_error`: Something went wrong on our side. */
        AdminInternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 500;
                    /** @enum {string} */
                    code?: "internal_error";
                };
            };
        };
        /**
         * @description `invalid_body`: The body has the wrong structure.
         *
         *     `invalid_query`: A query parameter is not valid.
         *
         *     `malformed_json`: The body is not valid JSON.
         */
        AdminInvalidBodyInvalidQueryMalformedJson: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 400;
                    /** @enum {string} */
                    code?: "invalid_body" | "invalid_query" | "malformed_json";
                };
            };
        };
        /** @description `invalid_credentials`: The credentials are missing or invalid. */
        AdminInvalidCredentials: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 401;
                    /** @enum {string} */
                    code?: "invalid_credentials";
                };
            };
        };
        /** @description `invalid_query`: A query parameter is not valid. */
        AdminInvalidQuery: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 400;
                    /** @enum {string} */
                    code?: "invalid_query";
                };
            };
        };
        /** @description `key_not_found`: No such API key. */
        AdminKeyNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "key_not_found";
                };
            };
        };
        /** @description `key_revoked`: The API key has been revoked. */
        AdminKeyRevoked: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "key_revoked";
                };
            };
        };
        /** @description `log_not_found`: No such log entry. */
        AdminLogNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "log_not_found";
                };
            };
        };
        /** @description `internal_error`: Something went wrong on our side. */
        AdminOpenInternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 500;
                    /** @enum {string} */
                    code?: "internal_error";
                };
            };
        };
        /**
         * @description `invalid_body`: The body has the wrong structure.
         *
         *     `invalid_query`: A query parameter is not valid.
         *
         *     `malformed_json`: The body is not valid JSON.
         */
        AdminOpenInvalidBodyInvalidQueryMalformedJson: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 400;
                    /** @enum {string} */
                    code?: "invalid_body" | "invalid_query" | "malformed_json";
                };
            };
        };
        /** @description `invalid_credentials`: The credentials are missing or invalid. */
        AdminOpenInvalidCredentials: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 401;
                    /** @enum {string} */
                    code?: "invalid_credentials";
                };
            };
        };
        /** @description `payload_too_large`: The body is too large. */
        AdminOpenPayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 413;
                    /** @enum {string} */
                    code?: "payload_too_large";
                };
            };
        };
        /** @description `precondition_failed`: A condition of the request does not hold. */
        AdminOpenPreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 412;
                    /** @enum {string} */
                    code?: "precondition_failed";
                };
            };
        };
        /** @description `provider_required`: The company signs in through its identity provider. */
        AdminOpenProviderRequired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "provider_required";
                };
            };
        };
        /** @description `rate_limited`: Too many requests. */
        AdminOpenRateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 429;
                    /** @enum {string} */
                    code?: "rate_limited";
                };
            };
        };
        /** @description `unavailable`: The service is temporarily unavailable. */
        AdminOpenUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 503;
                    /** @enum {string} */
                    code?: "unavailable";
                };
            };
        };
        /** @description `unsupported_media_type`: The media type is not supported. */
        AdminOpenUnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Accept-Encoding": components["headers"]["Accept-Encoding"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 415;
                    /** @enum {string} */
                    code?: "unsupported_media_type";
                };
            };
        };
        /** @description `validation_failed`: One or more records are not valid. */
        AdminOpenValidationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 422;
                    /** @enum {string} */
                    code?: "validation_failed";
                };
            };
        };
        /** @description `payload_too_large`: The body is too large. */
        AdminPayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 413;
                    /** @enum {string} */
                    code?: "payload_too_large";
                };
            };
        };
        /** @description `precondition_failed`: A condition of the request does not hold. */
        AdminPreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 412;
                    /** @enum {string} */
                    code?: "precondition_failed";
                };
            };
        };
        /** @description `rate_limited`: Too many requests. */
        AdminRateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 429;
                    /** @enum {string} */
                    code?: "rate_limited";
                };
            };
        };
        /**
         * @description `secrets_key_missing`: The service has no key to protect secrets.
         *
         *     `unavailable`: The service is temporarily unavailable.
         */
        AdminSecretsKeyMissingUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 503;
                    /** @enum {string} */
                    code?: "secrets_key_missing" | "unavailable";
                };
            };
        };
        /** @description `token_not_found`: No such token. */
        AdminTokenNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "token_not_found";
                };
            };
        };
        /** @description `too_many_tokens`: The user has the maximum number of tokens. */
        AdminTooManyTokens: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "too_many_tokens";
                };
            };
        };
        /** @description `too_many_uploads`: The company has the maximum number of uploads. */
        AdminTooManyUploads: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "too_many_uploads";
                };
            };
        };
        /** @description `too_many_webhooks`: The company has the maximum number of webhooks. */
        AdminTooManyWebhooks: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "too_many_webhooks";
                };
            };
        };
        /** @description `unavailable`: The service is temporarily unavailable. */
        AdminUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 503;
                    /** @enum {string} */
                    code?: "unavailable";
                };
            };
        };
        /** @description `unsupported_media_type`: The media type is not supported. */
        AdminUnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Accept-Encoding": components["headers"]["Accept-Encoding"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 415;
                    /** @enum {string} */
                    code?: "unsupported_media_type";
                };
            };
        };
        /** @description `upload_not_applicable`: The upload cannot be applied now. */
        AdminUploadNotApplicable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "upload_not_applicable";
                };
            };
        };
        /** @description `upload_not_found`: No such upload. */
        AdminUploadNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "upload_not_found";
                };
            };
        };
        /** @description `user_exists`: A user with this email address already exists. */
        AdminUserExists: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "user_exists";
                };
            };
        };
        /** @description `user_not_found`: No such user. */
        AdminUserNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "user_not_found";
                };
            };
        };
        /** @description `user_not_removed`: The user has not been removed. */
        AdminUserNotRemoved: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "user_not_removed";
                };
            };
        };
        /** @description `validation_failed`: One or more records are not valid. */
        AdminValidationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 422;
                    /** @enum {string} */
                    code?: "validation_failed";
                };
            };
        };
        /** @description `webhook_not_found`: No such webhook. */
        AdminWebhookNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "webhook_not_found";
                };
            };
        };
        /** @description `address_not_allowed`: The API key may not be used from this address. */
        ApiAddressNotAllowed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 403;
                    /** @enum {string} */
                    code?: "address_not_allowed";
                };
            };
        };
        /**
         * @description `address_not_allowed`: The API key may not be used from this address.
         *
         *     `key_disabled`: The API key is disabled.
         *
         *     `scope_missing`: The API key may not make this call.
         */
        ApiAddressNotAllowedKeyDisabledScopeMissing: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 403;
                    /** @enum {string} */
                    code?: "address_not_allowed" | "key_disabled" | "scope_missing";
                };
            };
        };
        /**
         * @description `address_not_allowed`: The API key may not be used from this address.
         *
         *     `key_disabled`: The API key is disabled.
         *
         *     `scope_missing`: The API key may not make this call.
         */
        ApiCallAddressNotAllowedKeyDisabledScopeMissing: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 403;
                    /** @enum {string} */
                    code?: "address_not_allowed" | "key_disabled" | "scope_missing";
                };
            };
        };
        /**
         * @description `already_exists`: An employee with these details already exists.
         *
         *     `idempotency_in_progress`: The first call with this idempotency key is still running.
         *
         *     `idempotency_response_expired`: The response stored for this idempotency key has expired.
         *
         *     `inactive_employee_exists`: An inactive employee with these details already exists.
         */
        ApiCallAlreadyExistsIdempotencyInProgressIdempotencyResponseExpiredInactiveEmployeeExists: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "already_exists" | "idempotency_in_progress" | "idempotency_response_expired" | "inactive_employee_exists";
                };
            };
        };
        /**
         * @description `batch_too_large`: The call has too many records.
         *
         *     `payload_too_large`: The body is too large.
         */
        ApiCallBatchTooLargePayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 413;
                    /** @enum {string} */
                    code?: "batch_too_large" | "payload_too_large";
                };
            };
        };
        /** @description `employee_not_found`: No such employee. */
        ApiCallEmployeeNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "employee_not_found";
                };
            };
        };
        /**
         * @description `empty_batch`: The call has no records.
         *
         *     `idempotency_key_reused`: The idempotency key was used with a different request.
         *
         *     `validation_failed`: One or more records are not valid.
         */
        ApiCallEmptyBatchIdempotencyKeyReusedValidationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 422;
                    /** @enum {string} */
                    code?: "empty_batch" | "idempotency_key_reused" | "validation_failed";
                };
            };
        };
        /**
         * @description `idempotency_key_invalid`: The Idempotency-Key header is not valid.
         *
         *     `invalid_body`: The body has the wrong structure.
         *
         *     `invalid_query`: A query parameter is not valid.
         *
         *     `malformed_json`: The body is not valid JSON.
         */
        ApiCallIdempotencyKeyInvalidInvalidBodyInvalidQueryMalformedJson: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 400;
                    /** @enum {string} */
                    code?: "idempotency_key_invalid" | "invalid_body" | "invalid_query" | "malformed_json";
                };
            };
        };
        /**
         * @description `idempotency_key_reused`: The idempotency key was used with a different request.
         *
         *     `validation_failed`: One or more records are not valid.
         */
        ApiCallIdempotencyKeyReusedValidationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 422;
                    /** @enum {string} */
                    code?: "idempotency_key_reused" | "validation_failed";
                };
            };
        };
        /** @description `internal_error`: Something went wrong on our side. */
        ApiCallInternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 500;
                    /** @enum {string} */
                    code?: "internal_error";
                };
            };
        };
        /** @description `invalid_credentials`: The credentials are missing or invalid. */
        ApiCallInvalidCredentials: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 401;
                    /** @enum {string} */
                    code?: "invalid_credentials";
                };
            };
        };
        /** @description `payload_too_large`: The body is too large. */
        ApiCallPayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 413;
                    /** @enum {string} */
                    code?: "payload_too_large";
                };
            };
        };
        /** @description `precondition_failed`: A condition of the request does not hold. */
        ApiCallPreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 412;
                    /** @enum {string} */
                    code?: "precondition_failed";
                };
            };
        };
        /**
         * @description `quota_exceeded`: The API key has used up its quota.
         *
         *     `rate_limited`: Too many requests.
         */
        ApiCallQuotaExceededRateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 429;
                    /** @enum {string} */
                    code?: "quota_exceeded" | "rate_limited";
                };
            };
        };
        /** @description `unavailable`: The service is temporarily unavailable. */
        ApiCallUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 503;
                    /** @enum {string} */
                    code?: "unavailable";
                };
            };
        };
        /** @description `unsupported_media_type`: The media type is not supported. */
        ApiCallUnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                "Accept-Encoding": components["headers"]["Accept-Encoding"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 415;
                    /** @enum {string} */
                    code?: "unsupported_media_type";
                };
            };
        };
        /** @description `employee_not_found`: No such employee. */
        ApiEmployeeNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "employee_not_found";
                };
            };
        };
        /** @description `internal_error`: Something went wrong on our side. */
        ApiInternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 500;
                    /** @enum {string} */
                    code?: "internal_error";
                };
            };
        };
        /** @description `invalid_credentials`: The credentials are missing or invalid. */
        ApiInvalidCredentials: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 401;
                    /** @enum {string} */
                    code?: "invalid_credentials";
                };
            };
        };
        /** @description `invalid_query`: A query parameter is not valid. */
        ApiInvalidQuery: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 400;
                    /** @enum {string} */
                    code?: "invalid_query";
                };
            };
        };
        /** @description `precondition_failed`: A condition of the request does not hold. */
        ApiPreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 412;
                    /** @enum {string} */
                    code?: "precondition_failed";
                };
            };
        };
        /**
         * @description `quota_exceeded`: The API key has used up its quota.
         *
         *     `rate_limited`: Too many requests.
         */
        ApiQuotaExceededRateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 429;
                    /** @enum {string} */
                    code?: "quota_exceeded" | "rate_limited";
                };
            };
        };
        /** @description `rate_limited`: Too many requests. */
        ApiRateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 429;
                    /** @enum {string} */
                    code?: "rate_limited";
                };
            };
        };
        /** @description `unavailable`: The service is temporarily unavailable. */
        ApiUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 503;
                    /** @enum {string} */
                    code?: "unavailable";
                };
            };
        };
        /**
         * @description `cross_site_request`: The request came from another site.
         *
         *     `role_required`: Your role does not allow this.
         */
        AuditCrossSiteRequestRoleRequired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 403;
                    /** @enum {string} */
                    code?: "cross_site_request" | "role_required";
                };
            };
        };
        /** @description `employee_not_found`: No such employee. */
        AuditEmployeeNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "employee_not_found";
                };
            };
        };
        /**
         * @description `employee_not_found`: No such employee.
         *
         *     `log_not_found`: No such log entry.
         */
        AuditEmployeeNotFoundLogNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "employee_not_found" | "log_not_found";
                };
            };
        };
        /** @description `internal_error`: Something went wrong on our side. */
        AuditInternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 500;
                    /** @enum {string} */
                    code?: "internal_error";
                };
            };
        };
        /** @description `invalid_credentials`: The credentials are missing or invalid. */
        AuditInvalidCredentials: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 401;
                    /** @enum {string} */
                    code?: "invalid_credentials";
                };
            };
        };
        /** @description `invalid_query`: A query parameter is not valid. */
        AuditInvalidQuery: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 400;
                    /** @enum {string} */
                    code?: "invalid_query";
                };
            };
        };
        /** @description `rate_limited`: Too many requests. */
        AuditRateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 429;
                    /** @enum {string} */
                    code?: "rate_limited";
                };
            };
        };
        /** @description `unavailable`: The service is temporarily unavailable. */
        AuditUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 503;
                    /** @enum {string} */
                    code?: "unavailable";
                };
            };
        };
    };
    parameters: {
        /**
         * @description Makes the call safe to retry. Send 1 to 255 visible ASCII characters, and a new value for each new operation. A retry with the same key and the same request returns the first response and has no second effect. Use a random value without personal data: the service remembers used keys forever.
         * @example nightly-2026-11-20-batch-1
         */
        IdempotencyKey: string;
        /**
         * @description Carry out the call only if the employee still has this version: the `ETag` of an earlier response, or `*`.
         * @example "1"
         */
        IfMatch: string;
        /**
         * @description Answer with the employee only if it has another version than this one: the `ETag` of an earlier response.
         * @example "1"
         */
        IfNoneMatch: string;
        /**
         * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
         * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
         */
        "webhook-id": string;
        /**
         * @description When this attempt was made, in seconds since 1970.
         * @example 1795359600
         */
        "webhook-timestamp": number;
        /**
         * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The id of the request: the client's own if it has 1 to 64 letters, digits, `.`, `_` or `-`; otherwise a new one.
         * @example 7a165430-d4e7-4ff0-816e-44d0adc6327e
         */
        "X-Request-Id": string;
        /**
         * @description The key's quota: `q` requests in a window of `w` seconds.
         * @example "quota";q=10000;w=2592000
         */
        "RateLimit-Policy": string;
        /**
         * @description The key's remaining quota: `r` requests, and `t` seconds until the window ends.
         * @example "quota";r=9999;t=864000
         */
        RateLimit: string;
        /**
         * @description The position of the call's last event in the company's ledger. Send it as `min_position` to read your own write.
         * @example 42
         */
        "X-Ledger-Position": number;
        /** @description `true` if this is the stored response of the first call with the same `Idempotency-Key`. */
        "Idempotency-Replayed": "true";
        /**
         * @description The version of the employee, for `If-Match` and `If-None-Match`.
         * @example "1"
         */
        ETag: string;
        /** @description The path of the new resource. */
        Location: string;
        /**
         * @description Seconds to wait before trying again.
         * @example 1
         */
        "Retry-After": number;
        /** @description `identity` if the body was refused because it was compressed. */
        "Accept-Encoding": "identity";
        /** @description How to authenticate. */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    verifyKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state and usage of the key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyVerification"];
                };
            };
            400: components["responses"]["ApiInvalidQuery"];
            401: components["responses"]["ApiInvalidCredentials"];
            403: components["responses"]["ApiAddressNotAllowed"];
            429: components["responses"]["ApiRateLimited"];
            500: components["responses"]["ApiInternalError"];
            503: components["responses"]["ApiUnavailable"];
        };
    };
    listEmployees: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Only employees with this status. */
                status?: "active" | "inactive";
                /** @description The employee with exactly this value now, including the latest commit. */
                email?: string;
                /** @description The employee with exactly this value now, including the latest commit. */
                external_id?: string;
                /** @description Changed at or after this time. The list is then in the order of the changes, and a page may have fewer employees than `limit`, or none, although `next_cursor` leads to another one. */
                updated_since?: string;
                /** @description Part of a name, email or external id. */
                q?: string;
                /** @description Wait up to 10 seconds for the list to include this `X-Ledger-Position`. */
                min_position?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmployeeList"];
                };
            };
            400: components["responses"]["ApiInvalidQuery"];
            401: components["responses"]["ApiInvalidCredentials"];
            403: components["responses"]["ApiAddressNotAllowedKeyDisabledScopeMissing"];
            429: components["responses"]["ApiQuotaExceededRateLimited"];
            500: components["responses"]["ApiInternalError"];
            503: components["responses"]["ApiUnavailable"];
        };
    };
    upsertEmployees: {
        parameters: {
            query?: {
                /** @description Return what would happen, and store neither a change nor a log entry. */
                validate_only?: boolean;
                /** @description Whether one bad record keeps all others from being applied. With `false`, the call applies every record that can be applied, and the answer has the errors of the others. If it can apply none, it fails as it does without this parameter. */
                all_or_none?: boolean;
            };
            header?: {
                /**
                 * @description Makes the call safe to retry. Send 1 to 255 visible ASCII characters, and a new value for each new operation. A retry with the same key and the same request returns the first response and has no second effect. Use a random value without personal data: the service remembers used keys forever.
                 * @example nightly-2026-11-20-batch-1
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description An object with the records, or an array of records. */
        requestBody: {
            content: {
                "application/json": {
                    employees: components["schemas"]["EmployeeUpsert"][];
                } | components["schemas"]["EmployeeUpsert"][];
            };
        };
        responses: {
            /** @description The result for each record. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertedEmployees"] | components["schemas"]["PartlyApplied"];
                };
            };
            400: components["responses"]["ApiCallIdempotencyKeyInvalidInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["ApiCallInvalidCredentials"];
            403: components["responses"]["ApiCallAddressNotAllowedKeyDisabledScopeMissing"];
            409: components["responses"]["ApiCallAlreadyExistsIdempotencyInProgressIdempotencyResponseExpiredInactiveEmployeeExists"];
            412: components["responses"]["ApiCallPreconditionFailed"];
            413: components["responses"]["ApiCallBatchTooLargePayloadTooLarge"];
            415: components["responses"]["ApiCallUnsupportedMediaType"];
            422: components["responses"]["ApiCallEmptyBatchIdempotencyKeyReusedValidationFailed"];
            429: components["responses"]["ApiCallQuotaExceededRateLimited"];
            500: components["responses"]["ApiCallInternalError"];
            503: components["responses"]["ApiCallUnavailable"];
        };
    };
    createEmployees: {
        parameters: {
            query?: {
                /** @description Return what would happen, and store neither a change nor a log entry. */
                validate_only?: boolean;
                /** @description Whether one bad record keeps all others from being applied. With `false`, the call applies every record that can be applied, and the answer has the errors of the others. If it can apply none, it fails as it does without this parameter. */
                all_or_none?: boolean;
            };
            header?: {
                /**
                 * @description Makes the call safe to retry. Send 1 to 255 visible ASCII characters, and a new value for each new operation. A retry with the same key and the same request returns the first response and has no second effect. Use a random value without personal data: the service remembers used keys forever.
                 * @example nightly-2026-11-20-batch-1
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description An object with the records, an array of records, or a single record. */
        requestBody: {
            content: {
                "application/json": {
                    employees: components["schemas"]["EmployeeCreate"][];
                } | components["schemas"]["EmployeeCreate"][] | components["schemas"]["EmployeeCreate"];
            };
        };
        responses: {
            /** @description With `validate_only`: the employees that would be created. With `all_or_none=false`: the result for each record. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedEmployees"];
                };
            };
            /** @description The new employees. `Location` is present if there is only one. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedEmployees"];
                };
            };
            400: components["responses"]["ApiCallIdempotencyKeyInvalidInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["ApiCallInvalidCredentials"];
            403: components["responses"]["ApiCallAddressNotAllowedKeyDisabledScopeMissing"];
            409: components["responses"]["ApiCallAlreadyExistsIdempotencyInProgressIdempotencyResponseExpiredInactiveEmployeeExists"];
            412: components["responses"]["ApiCallPreconditionFailed"];
            413: components["responses"]["ApiCallBatchTooLargePayloadTooLarge"];
            415: components["responses"]["ApiCallUnsupportedMediaType"];
            422: components["responses"]["ApiCallEmptyBatchIdempotencyKeyReusedValidationFailed"];
            429: components["responses"]["ApiCallQuotaExceededRateLimited"];
            500: components["responses"]["ApiCallInternalError"];
            503: components["responses"]["ApiCallUnavailable"];
        };
    };
    updateEmployees: {
        parameters: {
            query?: {
                /** @description Return what would happen, and store neither a change nor a log entry. */
                validate_only?: boolean;
                /** @description Whether one bad record keeps all others from being applied. With `false`, the call applies every record that can be applied, and the answer has the errors of the others. If it can apply none, it fails as it does without this parameter. */
                all_or_none?: boolean;
            };
            header?: {
                /**
                 * @description Makes the call safe to retry. Send 1 to 255 visible ASCII characters, and a new value for each new operation. A retry with the same key and the same request returns the first response and has no second effect. Use a random value without personal data: the service remembers used keys forever.
                 * @example nightly-2026-11-20-batch-1
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description An object with the records, or an array of records. */
        requestBody: {
            content: {
                "application/json": {
                    employees: components["schemas"]["EmployeeBulkPatch"][];
                } | components["schemas"]["EmployeeBulkPatch"][];
                "application/merge-patch+json": {
                    employees: components["schemas"]["EmployeeBulkPatch"][];
                } | components["schemas"]["EmployeeBulkPatch"][];
            };
        };
        responses: {
            /** @description The result for each employee. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatedEmployees"] | components["schemas"]["PartlyApplied"];
                };
            };
            400: components["responses"]["ApiCallIdempotencyKeyInvalidInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["ApiCallInvalidCredentials"];
            403: components["responses"]["ApiCallAddressNotAllowedKeyDisabledScopeMissing"];
            409: components["responses"]["ApiCallAlreadyExistsIdempotencyInProgressIdempotencyResponseExpiredInactiveEmployeeExists"];
            412: components["responses"]["ApiCallPreconditionFailed"];
            413: components["responses"]["ApiCallBatchTooLargePayloadTooLarge"];
            415: components["responses"]["ApiCallUnsupportedMediaType"];
            422: components["responses"]["ApiCallEmptyBatchIdempotencyKeyReusedValidationFailed"];
            429: components["responses"]["ApiCallQuotaExceededRateLimited"];
            500: components["responses"]["ApiCallInternalError"];
            503: components["responses"]["ApiCallUnavailable"];
        };
    };
    readEmployee: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Answer with the employee only if it has another version than this one: the `ETag` of an earlier response.
                 * @example "1"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description Carry out the call only if the employee still has this version: the `ETag` of an earlier response, or `*`.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The employee's id.
                 * @example emp_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The employee. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Employee"];
                };
            };
            /** @description The employee has a version that `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ApiInvalidQuery"];
            401: components["responses"]["ApiInvalidCredentials"];
            403: components["responses"]["ApiAddressNotAllowedKeyDisabledScopeMissing"];
            404: components["responses"]["ApiEmployeeNotFound"];
            412: components["responses"]["ApiPreconditionFailed"];
            429: components["responses"]["ApiQuotaExceededRateLimited"];
            500: components["responses"]["ApiInternalError"];
            503: components["responses"]["ApiUnavailable"];
        };
    };
    updateEmployee: {
        parameters: {
            query?: {
                /** @description Return what would happen, and store neither a change nor a log entry. */
                validate_only?: boolean;
            };
            header?: {
                /**
                 * @description Makes the call safe to retry. Send 1 to 255 visible ASCII characters, and a new value for each new operation. A retry with the same key and the same request returns the first response and has no second effect. Use a random value without personal data: the service remembers used keys forever.
                 * @example nightly-2026-11-20-batch-1
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Carry out the call only if the employee still has this version: the `ETag` of an earlier response, or `*`.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The employee's id.
                 * @example emp_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmployeePatch"];
                "application/merge-patch+json": components["schemas"]["EmployeePatch"];
            };
        };
        responses: {
            /** @description The result of the update. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatedEmployee"];
                };
            };
            400: components["responses"]["ApiCallIdempotencyKeyInvalidInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["ApiCallInvalidCredentials"];
            403: components["responses"]["ApiCallAddressNotAllowedKeyDisabledScopeMissing"];
            404: components["responses"]["ApiCallEmployeeNotFound"];
            409: components["responses"]["ApiCallAlreadyExistsIdempotencyInProgressIdempotencyResponseExpiredInactiveEmployeeExists"];
            412: components["responses"]["ApiCallPreconditionFailed"];
            413: components["responses"]["ApiCallPayloadTooLarge"];
            415: components["responses"]["ApiCallUnsupportedMediaType"];
            422: components["responses"]["ApiCallIdempotencyKeyReusedValidationFailed"];
            429: components["responses"]["ApiCallQuotaExceededRateLimited"];
            500: components["responses"]["ApiCallInternalError"];
            503: components["responses"]["ApiCallUnavailable"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Only keys with this status. */
                status?: "active" | "disabled" | "expired" | "revoked";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["ApiKey"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    issueApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Leading and trailing white space is removed before the limits apply. */
                    name: string;
                    /** @description The number of calls allowed in each period. Default: `10000`. */
                    quota_limit?: number;
                    /**
                     * @description How often the quota resets. Periods are calendar periods in UTC; weeks start on Monday. Default: `"monthly"`.
                     * @enum {string}
                     */
                    refresh_period?: "hourly" | "daily" | "weekly" | "monthly";
                    /** @description What calls with the key may do. Responses to writing calls show the employees that they create or update, whether or not the key may read. Default: all. */
                    scopes?: ("employees:read" | "employees:write")[];
                    /**
                     * Format: date-time
                     * @description When the key ends. Null if it does not. Default: `null`.
                     */
                    expires_at?: string | null;
                    /** @description The networks from which the key may be used, in CIDR notation (IPv4 or IPv6). Null allows any address. A request may also name single addresses; an empty list is the same as null. Default: `null`. */
                    allowed_networks?: string[] | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the API key.
                 * @example key_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminKeyNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    editApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the API key.
                 * @example key_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Leading and trailing white space is removed before the limits apply. */
                    name?: string;
                    /** @description The number of calls allowed in each period. */
                    quota_limit?: number;
                    /**
                     * @description How often the quota resets. Periods are calendar periods in UTC; weeks start on Monday.
                     * @enum {string}
                     */
                    refresh_period?: "hourly" | "daily" | "weekly" | "monthly";
                    /** @description What calls with the key may do. Responses to writing calls show the employees that they create or update, whether or not the key may read. */
                    scopes?: ("employees:read" | "employees:write")[];
                    /**
                     * Format: date-time
                     * @description When the key ends. Null if it does not.
                     */
                    expires_at?: string | null;
                    /** @description The networks from which the key may be used, in CIDR notation (IPv4 or IPv6). Null allows any address. A request may also name single addresses; an empty list is the same as null. */
                    allowed_networks?: string[] | null;
                    /** @description When writing calls of the key are expected: at least every so many hours, or by a time of day (`06:00`) on some weekdays (1 is Monday, 7 is Sunday), in the company's time zone and after that time of the day before. If none comes, the key needs attention. Null expects none. */
                    expected_calls?: {
                        every_hours: number;
                    } | {
                        by_time: string;
                        weekdays: number[];
                    } | null;
                };
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminKeyNotFound"];
            409: components["responses"]["AdminKeyRevoked"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    disableApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the API key.
                 * @example key_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminKeyNotFound"];
            409: components["responses"]["AdminKeyRevoked"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    enableApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the API key.
                 * @example key_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminKeyNotFound"];
            409: components["responses"]["AdminKeyRevoked"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the API key.
                 * @example key_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminKeyNotFound"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the API key.
                 * @example key_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description How long the current secret keeps working. Any older secret stops immediately. Default: `86400`. */
                    overlap_seconds?: number;
                };
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminKeyNotFound"];
            409: components["responses"]["AdminKeyRevoked"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAttention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attention"];
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    listBulkUserLogs: {
        parameters: {
            query?: {
                /** @description The status of the entry. */
                status?: "Completed" | "Failed";
                /** @description The operation of the call. */
                operation?: "create" | "update_one" | "update_many" | "upsert";
                /** @description Requested at or after this time (RFC 3339). */
                from?: string;
                /** @description Requested before this time (RFC 3339). */
                to?: string;
                /** @description The API id of the key that made the call. */
                key?: string;
                /** @description Entries of calls that failed with this error code, such as `validation_failed`. */
                error?: string;
                /** @description Entries of calls that were answered with this HTTP status. */
                http_status?: number;
                /** @description Entries with a record of this employee: the exact id, email (case-insensitive) or external id; a former one if nobody has it now. Also finds refused records that contain exactly this value. */
                employee?: string;
                /** @description Entries with a record of an employee whose name, email, external id or employee number contains this text or once was exactly this text (case-insensitive), or whose id it is. Also finds refused records with exactly this id, email or external id. Also finds entries by exactly their id, request id or error code, by the API id or name (case-insensitive) of their key, and by the address that the call was sent from. */
                q?: string;
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Whether to count the entries that match, on all pages. */
                count?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["BulkUserLogEntry"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                        total?: {
                            count: number;
                            /** @description Whether there are more. `count` is exact otherwise. */
                            is_more: boolean;
                        } | null;
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    exportBulkUserLogs: {
        parameters: {
            query?: {
                /** @description The status of the entry. */
                status?: "Completed" | "Failed";
                /** @description The operation of the call. */
                operation?: "create" | "update_one" | "update_many" | "upsert";
                /** @description Requested at or after this time (RFC 3339). */
                from?: string;
                /** @description Requested before this time (RFC 3339). */
                to?: string;
                /** @description The API id of the key that made the call. */
                key?: string;
                /** @description Entries of calls that failed with this error code, such as `validation_failed`. */
                error?: string;
                /** @description Entries of calls that were answered with this HTTP status. */
                http_status?: number;
                /** @description Entries with a record of this employee: the exact id, email (case-insensitive) or external id; a former one if nobody has it now. Also finds refused records that contain exactly this value. */
                employee?: string;
                /** @description Entries with a record of an employee whose name, email, external id or employee number contains this text or once was exactly this text (case-insensitive), or whose id it is. Also finds refused records with exactly this id, email or external id. Also finds entries by exactly their id, request id or error code, by the API id or name (case-insensitive) of their key, and by the address that the call was sent from. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A CSV file (RFC 4180) in UTF-8 with a byte order mark and a header row. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getBulkUserLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an entry.
                 * @example log_01m7wqmfakeh492yss9pa6yb7t
                 */
                log_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkUserLogEntry"];
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminLogNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    exportFailedRecordsAsCsv: {
        parameters: {
            query?: {
                /** @description Finds records by person, as in the list of entries. */
                q?: string;
                /** @description Refused records with this error: its code (`invalid_format`), or its code, a colon, and its JSON Pointer within the record (`invalid_format:/phone`; `missing_locator:` for the record itself). */
                error?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of an entry.
                 * @example log_01m7wqmfakeh492yss9pa6yb7t
                 */
                log_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A CSV file (RFC 4180) in UTF-8 with a byte order mark and a header row. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminLogNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    exportFailedRecords: {
        parameters: {
            query?: {
                /** @description Finds records by person, as in the list of entries. */
                q?: string;
                /** @description Refused records with this error: its code (`invalid_format`), or its code, a colon, and its JSON Pointer within the record (`invalid_format:/phone`; `missing_locator:` for the record itself). */
                error?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of an entry.
                 * @example log_01m7wqmfakeh492yss9pa6yb7t
                 */
                log_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        employees: unknown[];
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminLogNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    listBulkUserLogRecords: {
        parameters: {
            query?: {
                /** @description The status of the record. `Created` finds created employees and `Failed` finds refused records; neither has a status. `Changed` finds all records that changed something: those that are neither `No Updates` nor `Failed`. */
                status?: "Synced" | "No Updates" | "Reactivated" | "Deactivated" | "Created" | "Failed" | "Changed";
                /** @description Finds records by person, as in the list of entries. */
                q?: string;
                /** @description Refused records with this error: its code (`invalid_format`), or its code, a colon, and its JSON Pointer within the record (`invalid_format:/phone`; `missing_locator:` for the record itself). */
                error?: string;
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of an entry.
                 * @example log_01m7wqmfakeh492yss9pa6yb7t
                 */
                log_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["BulkUserLogRecord"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminLogNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    exportBulkUserLogRecords: {
        parameters: {
            query?: {
                /** @description The status of the record. `Created` finds created employees and `Failed` finds refused records; neither has a status. `Changed` finds all records that changed something: those that are neither `No Updates` nor `Failed`. */
                status?: "Synced" | "No Updates" | "Reactivated" | "Deactivated" | "Created" | "Failed" | "Changed";
                /** @description Finds records by person, as in the list of entries. */
                q?: string;
                /** @description Refused records with this error: its code (`invalid_format`), or its code, a colon, and its JSON Pointer within the record (`invalid_format:/phone`; `missing_locator:` for the record itself). */
                error?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of an entry.
                 * @example log_01m7wqmfakeh492yss9pa6yb7t
                 */
                log_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A CSV file (RFC 4180) in UTF-8 with a byte order mark and a header row. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminLogNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    exportAllFailedRecordsAsCsv: {
        parameters: {
            query?: {
                /** @description The status of the entry. */
                status?: "Completed" | "Failed";
                /** @description The operation of the call. */
                operation?: "create" | "update_one" | "update_many" | "upsert";
                /** @description Requested at or after this time (RFC 3339). */
                from?: string;
                /** @description Requested before this time (RFC 3339). */
                to?: string;
                /** @description The API id of the key that made the call. */
                key?: string;
                /** @description Entries of calls that failed with this error code, such as `validation_failed`. */
                error?: string;
                /** @description Entries of calls that were answered with this HTTP status. */
                http_status?: number;
                /** @description Entries with a record of this employee: the exact id, email (case-insensitive) or external id; a former one if nobody has it now. Also finds refused records that contain exactly this value. */
                employee?: string;
                /** @description Entries with a record of an employee whose name, email, external id or employee number contains this text or once was exactly this text (case-insensitive), or whose id it is. Also finds refused records with exactly this id, email or external id. Also finds entries by exactly their id, request id or error code, by the API id or name (case-insensitive) of their key, and by the address that the call was sent from. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A CSV file (RFC 4180) in UTF-8 with a byte order mark and a header row. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    streamBulkUserLogs: {
        parameters: {
            query?: {
                /** @description The id of the last event received. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getCompany: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Company"];
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    changeCompany: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description IANA name of the time zone in which pages show times, such as `Europe/Berlin`. API responses are always in UTC. */
                    time_zone?: string;
                    country?: string | null;
                };
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Company"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    erasePerson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The employee's id. May be the id of an erased employee, to erase newer data. */
                    employee_id?: string;
                    /** @description The current email address of the person, or one in refused records. Case-insensitive. */
                    email?: string;
                    /** @description The current external id of the person, or one in refused records. */
                    external_id?: string;
                };
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminEmployeeNotFound"];
            409: components["responses"]["AdminFormerName"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The one-time token of an invitation or a reset. */
                    token: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["AdminOpenInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminOpenInvalidCredentials"];
            409: components["responses"]["AdminOpenProviderRequired"];
            412: components["responses"]["AdminOpenPreconditionFailed"];
            413: components["responses"]["AdminOpenPayloadTooLarge"];
            415: components["responses"]["AdminOpenUnsupportedMediaType"];
            422: components["responses"]["AdminOpenValidationFailed"];
            429: components["responses"]["AdminOpenRateLimited"];
            500: components["responses"]["AdminOpenInternalError"];
            503: components["responses"]["AdminOpenUnavailable"];
        };
    };
    reportPersonalData: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The employee's id. May be the id of an erased employee, to erase newer data. */
                    employee_id?: string;
                    /** @description The current email address of the person, or one in refused records. Case-insensitive. */
                    email?: string;
                    /** @description The current external id of the person, or one in refused records. */
                    external_id?: string;
                    /** @description The id of a user, removed or not. */
                    user_id?: string;
                    /**
                     * @description JSON, or a page to read, print, and hand over. Default: `"json"`.
                     * @enum {string}
                     */
                    format?: "json" | "html";
                };
            };
        };
        responses: {
            /** @description The report. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalDataReport"];
                    "text/html": string;
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminEmployeeNotFoundUserNotFound"];
            409: components["responses"]["AdminFormerName"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    findSecrets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A whole secret, or a text with one in it; or an id, the last four characters of a secret, or a part of a name (case-insensitive). */
                    q?: string;
                    /** @description The SHA-256 of a secret (hexadecimal), so that the secret itself is not sent. */
                    secret_sha256?: string;
                };
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /**
                             * @description What it was found by. A `previous_secret` works until `rotation.previous_secret_expires_at`; if that is null, it has ended.
                             * @enum {string}
                             */
                            found_by: "secret" | "previous_secret" | "id" | "last_four" | "name";
                            api_key: components["schemas"]["ApiKey"] | null;
                            token: components["schemas"]["UserToken"] | null;
                        }[];
                        /** @description Whether there are more than are listed. */
                        is_more: boolean;
                        /** @description Always null: there is only one page. */
                        next_cursor: null;
                    };
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description A user's id. Default: your own. */
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["UserToken"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUserNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    issueToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Leading and trailing white space is removed before the limits apply. */
                    name: string;
                    /** @description Default: `90`. */
                    expires_in_days?: number;
                    /**
                     * @description Restricts the token: `audit` allows only the audit endpoint, if the role of the user allows it.
                     * @enum {string}
                     */
                    scope?: "audit";
                    /** @description Your password. Users who have none, or whose company requires its identity provider, leave it out and must have signed in within the last 10 minutes. */
                    current_password?: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserTokenWithSecret"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestReauthenticationRequiredRoleRequiredSessionRequired"];
            409: components["responses"]["AdminTooManyTokens"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the token.
                 * @example tok_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The response has no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminTokenNotFound"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    listUploads: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** @description `upl_…` */
                            id: string;
                            /**
                             * @description `previewing`: what each part would do is being counted. `previewed`: it can be applied. `applying`: part after part becomes a call. `stopped`: its user is no longer an administrator; once they are again, apply it to resume. `ended`: every part was applied, refused, or canceled.
                             * @enum {string}
                             */
                            state: "previewing" | "previewed" | "applying" | "stopped" | "ended";
                            file_name: string;
                            /** @enum {string} */
                            operation: "upsert" | "update_many" | "create";
                            /** @description Who uploaded the file. Only this user can apply it. */
                            user_id: string;
                            rows: number;
                            /** @description Whether a row that cannot be applied keeps its part from being applied, once the upload is applied. */
                            all_or_none: boolean;
                            /** @description The ids of the failed entries that the file corrects. */
                            corrects: string[];
                            /** Format: date-time */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the upload is deleted. Its entries stay.
                             */
                            expires_at: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    createUpload: {
        parameters: {
            query?: {
                /** @description The name of the file, for the log. */
                file_name?: string;
                /** @description What to do with the records, as `PUT`, `PATCH`, and `POST` of `/v1/employees` do. Default: what the calls asked for that the file corrects; `upsert` if they asked for different things, or if it corrects none. */
                operation?: "upsert" | "update_many" | "create";
                /** @description The encoding of a text file, such as `windows-1250` or `shift_jis`. Default: the `charset` of the content type; otherwise it is recognized, and the answer is `file_ambiguous` if several are likely. */
                encoding?: string;
                /** @description The name of the sheet of a workbook. Default: the one that has a table; the answer is `file_ambiguous` if several do. */
                sheet?: string;
                /** @description The line that names the columns, from 1; of a workbook, its row. Default: it is found. */
                header_row?: number;
                /** @description Apply the file without asking, if no question is open and all of its rows can be read, or any with `all_or_none=false`: as a scheduler does with files whose mapping the company has used before. Otherwise, the file is only stored and previewed. */
                apply?: boolean;
                /** @description If `false`, the upload leaves out rows that it cannot read or apply, and applies all others. If `true`, one such row stops its whole part. An upload that is resumed keeps the value with which it began. */
                all_or_none?: boolean;
                /** @description The ids of the failed entries that the file corrects, separated by commas. Default: those in its column `log_id`. The column `index` says which records the rows are. Without it, a file that has as many rows as the entry has records, or refused records, has these, in the order of the call. */
                corrects?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/csv": string;
                "application/octet-stream": string;
                "application/json": unknown;
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            409: components["responses"]["AdminTooManyUploads"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminFileAmbiguousValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    applyUpload: {
        parameters: {
            query?: {
                /** @description If `false`, the upload leaves out rows that it cannot read or apply, and applies all others. If `true`, one such row stops its whole part. An upload that is resumed keeps the value with which it began. */
                all_or_none?: boolean;
                /** @description How many people the upload may deactivate because they are not in its file: the `count` of their list. */
                deactivate?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            409: components["responses"]["AdminUploadNotApplicable"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    cancelUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The response has no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getUploadMapping: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the columns of a file mean, and how their values are read. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        columns: {
                            /** @description The name of the column, as the file has it. Columns with the same name follow in their order. */
                            header: string;
                            /** @description What the column becomes: an attribute, `full_name`, `manager`, `custom`, or `nothing`. `phone_country` says in which country local phone numbers of the row are. `key` is what managers are named by, which is not stored. `as_named` sets the attribute that the column names, exactly as the cell is written. Null: a person has to decide. */
                            to: ("id" | "first_name" | "last_name" | "email" | "external_id" | "employee_number" | "job_title" | "department" | "division" | "location" | "manager_id" | "manager_external_id" | "manager_email" | "start_date" | "termination_date" | "phone" | "status" | "full_name" | "manager" | "custom" | "phone_country" | "key" | "as_named" | "nothing") | null;
                            /** @description The name of a custom attribute. */
                            name?: string;
                            /**
                             * @description The type of a custom attribute.
                             * @enum {string}
                             */
                            type?: "text" | "number" | "boolean" | "as_written";
                            dates?: ("day_first" | "month_first" | "year_first") | null;
                            /** @description Of statuses: what each word means. Words that are known in many languages need not be given. Of a column with more words, some stay open. */
                            words?: {
                                [key: string]: ("active" | "inactive") | null;
                            };
                            names?: ("first_last" | "last_first" | "one_last_name_first" | "one_first_name" | "one_last_name") | null;
                            by?: ("email" | "external_id" | "employee_number" | "full_name" | "key") | null;
                            /**
                             * @description What an empty cell of this column does.
                             * @enum {string}
                             */
                            empty_cells?: "keep" | "clear";
                        }[];
                        /**
                         * @description Whether an empty cell keeps what a person has, or clears it. Default: `"keep"`.
                         * @enum {string}
                         */
                        empty_cells?: "keep" | "clear";
                        /**
                         * @description What happens to a value that cannot be read: its row is refused, or goes in without the value. Default: `"refuse"`.
                         * @enum {string}
                         */
                        unreadable_values?: "refuse" | "leave_out";
                        /**
                         * @description What happens to an email address that several people have: their rows are refused, or the later ones go in without the address. Default: `"refuse"`.
                         * @enum {string}
                         */
                        shared_emails?: "refuse" | "leave_out";
                        /** @description Default: `"keep"`. */
                        past_end_dates?: ("keep" | "deactivate") | null;
                        /** @description The country (ISO 3166-1 alpha-2) of local phone numbers. `company`: that of the company. Null: a person has to decide. Default: `"company"`. */
                        country?: string | null;
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            409: components["responses"]["AdminUploadNotApplicable"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    setUploadMapping: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    columns: {
                        /** @description The name of the column, as the file has it. Columns with the same name follow in their order. */
                        header: string;
                        /** @description What the column becomes: an attribute, `full_name`, `manager`, `custom`, or `nothing`. `phone_country` says in which country local phone numbers of the row are. `key` is what managers are named by, which is not stored. `as_named` sets the attribute that the column names, exactly as the cell is written. Null: a person has to decide. */
                        to: ("id" | "first_name" | "last_name" | "email" | "external_id" | "employee_number" | "job_title" | "department" | "division" | "location" | "manager_id" | "manager_external_id" | "manager_email" | "start_date" | "termination_date" | "phone" | "status" | "full_name" | "manager" | "custom" | "phone_country" | "key" | "as_named" | "nothing") | null;
                        /** @description The name of a custom attribute. */
                        name?: string;
                        /**
                         * @description The type of a custom attribute.
                         * @enum {string}
                         */
                        type?: "text" | "number" | "boolean" | "as_written";
                        dates?: ("day_first" | "month_first" | "year_first") | null;
                        /** @description Of statuses: what each word means. Words that are known in many languages need not be given. Of a column with more words, some stay open. */
                        words?: {
                            [key: string]: ("active" | "inactive") | null;
                        };
                        names?: ("first_last" | "last_first" | "one_last_name_first" | "one_first_name" | "one_last_name") | null;
                        by?: ("email" | "external_id" | "employee_number" | "full_name" | "key") | null;
                        /**
                         * @description What an empty cell of this column does.
                         * @enum {string}
                         */
                        empty_cells?: "keep" | "clear";
                    }[];
                    /**
                     * @description Whether an empty cell keeps what a person has, or clears it. Default: `"keep"`.
                     * @enum {string}
                     */
                    empty_cells?: "keep" | "clear";
                    /**
                     * @description What happens to a value that cannot be read: its row is refused, or goes in without the value. Default: `"refuse"`.
                     * @enum {string}
                     */
                    unreadable_values?: "refuse" | "leave_out";
                    /**
                     * @description What happens to an email address that several people have: their rows are refused, or the later ones go in without the address. Default: `"refuse"`.
                     * @enum {string}
                     */
                    shared_emails?: "refuse" | "leave_out";
                    /** @description Default: `"keep"`. */
                    past_end_dates?: ("keep" | "deactivate") | null;
                    /** @description The country (ISO 3166-1 alpha-2) of local phone numbers. `company`: that of the company. Null: a person has to decide. Default: `"company"`. */
                    country?: string | null;
                };
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            409: components["responses"]["AdminUploadNotApplicable"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    listMissing: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many people the upload would deactivate. */
                        count: number;
                        /** @description How many people were active when they were listed; 0 before. */
                        active: number;
                        items: {
                            id: string;
                            external_id: string | null;
                            email: string | null;
                            first_name: string | null;
                            last_name: string | null;
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    deactivateMissing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many people the upload would deactivate. */
                        count: number;
                        /** @description How many people were active when they were listed; 0 before. */
                        active: number;
                    };
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            409: components["responses"]["AdminUploadNotApplicable"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    keepMissing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The response has no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            409: components["responses"]["AdminUploadNotApplicable"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    exportRowsNotApplied: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A CSV file (RFC 4180) in UTF-8 with a byte order mark and a header row. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    previewUploadPart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
                /**
                 * @description The number of the part, from 1.
                 * @example 1
                 */
                number: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadPreview"];
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            409: components["responses"]["AdminUploadNotApplicable"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description The first day. Default: 30 days up to `to`. */
                from?: string;
                /** @description The last day, inclusive. Default: today. */
                to?: string;
                /** @description The API id of the key that made the calls. */
                key?: string;
                /** @description The time zone of the days: UTC, or the company's. */
                days_in?: "utc" | "company";
                /** @description Whether to add the usage of the same number of days before `from`. */
                previous?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date */
                        from: string;
                        /** Format: date */
                        to: string;
                        items: {
                            /**
                             * Format: date
                             * @description The day of the calls.
                             */
                            day: string;
                            /** @enum {string} */
                            operation: "create" | "update_one" | "update_many" | "upsert";
                            /** @enum {string} */
                            status: "Completed" | "Failed";
                            calls: number;
                            records: {
                                total: number;
                                updated: number;
                                deactivated: number;
                                failed: number;
                                no_updates: number;
                            };
                        }[];
                        /** @description The time zone of the days. */
                        time_zone: string;
                        /** @description The same number of days before. Only with `previous=true`. */
                        previous?: {
                            /** Format: date */
                            from: string;
                            /** Format: date */
                            to: string;
                            items: {
                                /**
                                 * Format: date
                                 * @description The day of the calls.
                                 */
                                day: string;
                                /** @enum {string} */
                                operation: "create" | "update_one" | "update_many" | "upsert";
                                /** @enum {string} */
                                status: "Completed" | "Failed";
                                calls: number;
                                records: {
                                    total: number;
                                    updated: number;
                                    deactivated: number;
                                    failed: number;
                                    no_updates: number;
                                };
                            }[];
                        };
                        /** @description Always null: there is only one page. */
                        next_cursor: null;
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Default: all users who are not removed. */
                status?: "pending" | "active" | "removed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["User"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    inviteUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Stored in lower case and Unicode NFKC. */
                    email: string;
                    /** @description Leading and trailing white space is removed before the limits apply. */
                    name: string;
                    /** @enum {string} */
                    role: "admin" | "auditor" | "member";
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitedUser"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            409: components["responses"]["AdminUserExists"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the user.
                 * @example usr_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUserNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    removeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the user.
                 * @example usr_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The response has no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUserNotFound"];
            409: components["responses"]["AdminBreakGlassUserLastAdmin"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    changeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the user.
                 * @example usr_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role?: "admin" | "auditor" | "member";
                };
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUserNotFound"];
            409: components["responses"]["AdminBreakGlassUserLastAdminUserRemoved"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    eraseUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the user.
                 * @example usr_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUserNotFound"];
            409: components["responses"]["AdminUserNotRemoved"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    resetUserPassword: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the user.
                 * @example usr_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitedUser"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUserNotFound"];
            409: components["responses"]["AdminBreakGlassUserOwnPasswordUserRemoved"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Oldest first. */
                        items: components["schemas"]["Webhook"][];
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Where messages are sent: an https URL without a user name, password, or fragment. */
                    url: string;
                    /** @description What the webhook is for. May be empty. Default: `""`. */
                    description?: string;
                    /** @description The types of the messages to send. Default: all. */
                    types?: ("api_call.completed" | "api_call.failed" | "employee.created" | "employee.updated" | "employee.deactivated" | "employee.reactivated" | "employee.erased" | "api_key.issued" | "api_key.changed" | "api_key.rotated" | "api_key.disabled" | "api_key.enabled" | "api_key.revoked" | "attention.raised" | "attention.resolved")[];
                    /** @description Whether messages contain values. By default they contain only ids, positions and the names of what changed, so that no personal data leaves the service. Default: `false`. */
                    include_data?: boolean;
                    /** @description The number of messages that may be under way at once. Those of one employee always follow each other. Default: `4`. */
                    concurrency?: number;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            409: components["responses"]["AdminTooManyWebhooks"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminSecretsKeyMissingUnavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook.
                 * @example whk_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminWebhookNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    removeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook.
                 * @example whk_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The response has no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminWebhookNotFound"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    editWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook.
                 * @example whk_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Where messages are sent: an https URL without a user name, password, or fragment. */
                    url?: string;
                    /** @description What the webhook is for. May be empty. */
                    description?: string;
                    /** @description The types of the messages to send. */
                    types?: ("api_call.completed" | "api_call.failed" | "employee.created" | "employee.updated" | "employee.deactivated" | "employee.reactivated" | "employee.erased" | "api_key.issued" | "api_key.changed" | "api_key.rotated" | "api_key.disabled" | "api_key.enabled" | "api_key.revoked" | "attention.raised" | "attention.resolved")[];
                    /** @description Whether messages contain values. By default they contain only ids, positions and the names of what changed, so that no personal data leaves the service. */
                    include_data?: boolean;
                    /** @description The number of messages that may be under way at once. Those of one employee always follow each other. */
                    concurrency?: number;
                };
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminWebhookNotFound"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Only deliveries with this status. */
                status?: "delivered" | "failed";
            };
            header?: never;
            path: {
                /**
                 * @description The id of the webhook.
                 * @example whk_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["WebhookDelivery"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminWebhookNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook.
                 * @example whk_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
                /**
                 * @description The id of the delivery.
                 * @example dlv_01m7wqmfakeh492yss9pa6yb7t
                 */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One attempt to deliver a message. Kept for 30 days. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminDeliveryNotFoundWebhookNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    redeliverWebhookMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook.
                 * @example whk_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
                /**
                 * @description The id of the delivery.
                 * @example dlv_01m7wqmfakeh492yss9pa6yb7t
                 */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One attempt to deliver a message. Kept for 30 days. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminDeliveryNotFoundWebhookNotFound"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    pauseWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook.
                 * @example whk_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminWebhookNotFound"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    pingWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook.
                 * @example whk_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One attempt to deliver a message. Kept for 30 days. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminWebhookNotFound"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    resumeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook.
                 * @example whk_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Send the events after this position. */
                    after?: number;
                    /**
                     * Format: date-time
                     * @description Send the events recorded at or after this time (RFC 3339).
                     */
                    since?: string;
                };
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminWebhookNotFound"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook.
                 * @example whk_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description How long messages are signed with the current secret as well. Any older secret stops immediately. Default: `86400`. */
                    overlap_seconds?: number;
                };
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminWebhookNotFound"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminSecretsKeyMissingUnavailable"];
        };
    };
    getCheckpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The position of the last event, which is the size of the tree. */
                        position: number;
                        /** @description The root of the tree, in base64. */
                        root: string;
                        /** @description The signed note. Verify exactly these characters. */
                        note: string;
                        /** @description A verifier key for signed notes: `name+id+base64(0x01 ‖ Ed25519 public key)`. */
                        public_key: string;
                        /** @description The newest checkpoint that a quorum of witnesses has cosigned (C2SP `tlog-cosignature`), if any. */
                        witnessed: {
                            /** @description The position of the last event, which is the size of the tree. */
                            position: number;
                            /** @description The root of the tree, in base64. */
                            root: string;
                            /** @description The signed note. Verify exactly these characters. */
                            note: string;
                        } | null;
                    };
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    readEmployeeAt: {
        parameters: {
            query?: {
                /**
                 * @description A ledger position, or a time (RFC 3339). Default: the head of the ledger.
                 * @example 2026-11-20T15:01:40.325Z
                 */
                at?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the employee.
                 * @example emp_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmployeeThen"];
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            404: components["responses"]["AuditEmployeeNotFound"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    listEmployeeEvents: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the employee.
                 * @example emp_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["AuditEvent"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            404: components["responses"]["AuditEmployeeNotFound"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description Only events after this position. */
                after?: number;
                /** @description Only events of these types, separated by commas. */
                type?: string;
                /** @description Only events of this employee: `emp_…`. */
                employee?: string;
                /** @description The maximum number of events. Default: all up to the head of the ledger at the time of the request. */
                limit?: number;
                /** @description `plain` for people and programs, `proof` for verification: the exact bytes that were hashed. */
                format?: "plain" | "proof";
                /** @description Only events of this employee, API key, webhook, identity provider, user, or company. */
                stream?: string;
                /** @description Only events that this API key, user, or identity provider caused, or `operator` or `schedule`. */
                actor?: string;
                /** @description Only events whose data contain this text. Case does not matter. Names of members count too. */
                q?: string;
                /** @description Only events of this call: `log_…`. */
                call?: string;
                /** @description Recorded at or after this time (RFC 3339). */
                from?: string;
                /** @description Recorded before this time (RFC 3339). */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events; may be empty. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    followEvents: {
        parameters: {
            query?: {
                /** @description Only events after this position. */
                after?: number;
                /** @description Only events of these types, separated by commas. */
                type?: string;
                /** @description Only events of this employee: `emp_…`. */
                employee?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    getEvidence: {
        parameters: {
            query?: {
                /** @description The events of this employee: `emp_…`. */
                employee?: string;
                /** @description The events of this call: `log_…`. */
                call?: string;
                /** @description Events recorded at or after this time (RFC 3339). */
                from?: string;
                /** @description Events recorded before this time (RFC 3339). */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The evidence file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            404: components["responses"]["AuditEmployeeNotFoundLogNotFound"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    listAuditKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** @description A verifier key for signed notes: `name+id+base64(0x01 ‖ Ed25519 public key)`. */
                            public_key: string;
                            /** @enum {string} */
                            status: "current" | "retired";
                        }[];
                        /** @description Always null: there is only one page. */
                        next_cursor: null;
                    };
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    proveConsistency: {
        parameters: {
            query: {
                /** @description The number of events in the smaller tree. */
                from: number;
                /** @description The number of events in the larger tree. Default: the current size of the ledger. */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsistencyProof"];
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    proveInclusion: {
        parameters: {
            query: {
                /** @description The position of the event. */
                position: number;
                /** @description The number of events in the tree. Default: the current size of the ledger. */
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InclusionProof"];
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    ApiCallCompletedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiCallCompletedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApiCallFailedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiCallFailedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    EmployeeCreatedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmployeeCreatedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    EmployeeUpdatedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmployeeUpdatedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    EmployeeDeactivatedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmployeeDeactivatedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    EmployeeReactivatedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmployeeReactivatedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    EmployeeErasedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmployeeErasedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApiKeyIssuedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyIssuedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApiKeyChangedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyChangedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApiKeyRotatedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyRotatedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApiKeyDisabledMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyDisabledMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApiKeyEnabledMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyEnabledMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApiKeyRevokedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyRevokedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    AttentionRaisedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AttentionRaisedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    AttentionResolvedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AttentionResolvedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    WebhookPingMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookPingMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
