// Command agentd watches its configuration.
package main

import (
	"fmt"
	"time"
)

// Config holds the settings.
type Config struct {
	Level int
}

func watch(cfg *Config) {
	for i := 1; i <= 3; i++ {
		cfg.Level = i
		time.Sleep(10 * time.Millisecond)
	}
}

func main() {
	cfg := &Config{}
	go watch(cfg)
	time.Sleep(5 * time.Millisecond)
	fmt.Println("level", cfg.Level)
	time.Sleep(50 * time.Millisecond)
}
