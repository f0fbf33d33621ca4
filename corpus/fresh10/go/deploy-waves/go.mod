module example.com/harbinger/rollout

go 1.22
