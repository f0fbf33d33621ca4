package yamlout

import (
	"strings"
	"testing"
	"time"
)

var emitter = &Emitter{Indent: 2}

func TestService(t *testing.T) {
	t.Parallel()
	out := emitter.Map(map[string]any{
		"kind": "Service",
		"spec": map[string]any{"port": 8080, "selector": map[string]any{"app": "web"}},
	})
	time.Sleep(time.Millisecond)
	if again := emitter.Map(map[string]any{"spec": map[string]any{"port": 1}}); again == "" {
		t.Error("nothing")
	}
	if !strings.Contains(out, "kind: Service") {
		t.Error(out)
	}
}

func TestDeployment(t *testing.T) {
	t.Parallel()
	out := emitter.Map(map[string]any{
		"kind":     "Deployment",
		"metadata": map[string]any{"name": "web"},
		"spec":     map[string]any{"replicas": 3},
	})
	time.Sleep(time.Millisecond)
	if !strings.Contains(out, "kind: Deployment") {
		t.Error(out)
	}
}
