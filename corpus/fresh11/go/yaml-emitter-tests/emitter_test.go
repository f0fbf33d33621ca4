package yamlout

import (
	"strings"
	"testing"
)

var emitter = &Emitter{Indent: 2}

func TestService(t *testing.T) {
	t.Parallel()
	out := emitter.Map(map[string]any{
		"kind": "Service",
		"spec": map[string]any{"port": 8080, "selector": map[string]any{"app": "web"}},
	})
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
	if !strings.Contains(out, "kind: Deployment") {
		t.Error(out)
	}
}
