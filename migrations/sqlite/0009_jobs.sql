-- Jobs: long work that users start. A job that is running when the process ends is continued by the next process.
CREATE TABLE jobs (
    job_id INTEGER PRIMARY KEY,
    job_type TEXT NOT NULL,
    parameters TEXT NOT NULL,
    status SMALLINT NOT NULL,
    created_by BIGINT,
    started_at BIGINT,
    completed_at BIGINT,
    -- The position in the job's list of tasks, and its findings so far.
    cursor BIGINT NOT NULL,
    completed_tasks BIGINT NOT NULL,
    failed_tasks BIGINT NOT NULL,
    total_tasks BIGINT,
    result TEXT NOT NULL,
    error TEXT
);
CREATE INDEX jobs_open ON jobs (job_type, status, job_id) WHERE status < 3;
