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
		cfg.Level = i //race:Config.Level
		time.Sleep(10 * time.Millisecond)
	}
}

func main() {
	cfg := &Config{}
	go watch(cfg)
	time.Sleep(5 * time.Millisecond)
	fmt.Println("level", cfg.Level) //race:Config.Level
	time.Sleep(50 * time.Millisecond)
}
