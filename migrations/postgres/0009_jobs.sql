-- Long work that users ask for. What is under way when the process ends is taken up again by the next one.
CREATE TABLE jobs (
    job_id BIGINT PRIMARY KEY,
    job_type TEXT COLLATE "C" NOT NULL,
    parameters TEXT NOT NULL,
    status SMALLINT NOT NULL,
    created_by BIGINT,
    started_at BIGINT,
    completed_at BIGINT,
    -- Where it is in its list of tasks, by its own count, and what it has found so far.
    cursor BIGINT NOT NULL,
    completed_tasks BIGINT NOT NULL,
    failed_tasks BIGINT NOT NULL,
    total_tasks BIGINT,
    result TEXT NOT NULL,
    error TEXT
);
CREATE INDEX jobs_open ON jobs (job_type, status, job_id) WHERE status < 3;
