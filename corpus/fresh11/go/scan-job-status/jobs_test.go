package jobs

import (
	"testing"
	"time"
)

func TestFindingsAreCounted(t *testing.T) {
	p := NewPool("openssl-1.0", "log4j-2.14")
	job := &Job{Image: "shop:12"}
	p.Submit(job, "openssl-1.0 log4j-2.14 openssl-1.0")
	p.Wait()
	if n := job.findings; n > 3 { //race:Job.findings
		t.Errorf("%d findings", n)
	}
	time.Sleep(2 * time.Millisecond)
}
