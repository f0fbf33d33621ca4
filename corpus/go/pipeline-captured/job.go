package pipeline

// Job runs a pipeline by its name.
type Job struct {
	name string
	pipe *Pipeline
}

// Start runs the job.
func (j *Job) Start() error {
	return j.attempt(1)
}

func (j *Job) attempt(left int) error {
	if _, err := j.pipe.Run(); err != nil && left > 0 {
		return err
	}
	return nil
}
