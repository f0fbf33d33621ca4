package graph

import (
	"context"
	"sync"
)

// Build is one run over a graph.
type Build struct {
	rules     []Rule
	count     int
	artifacts []string
}

// NewBuild prepares a build.
func NewBuild(rules []Rule) *Build {
	return &Build{rules: rules}
}

// Levels tells how many levels were built.
func (b *Build) Levels() int { return b.count }

// Run builds level after level.
func (b *Build) Run(ctx context.Context) error {
	all, err := levels(b.rules)
	if err != nil {
		return err
	}
	for _, level := range all {
		if err := b.runLevel(ctx, level); err != nil {
			return err
		}
		b.count++
	}
	return nil
}

func (b *Build) runLevel(ctx context.Context, level []Rule) error {
	failed := make(chan error, len(level))
	var wg sync.WaitGroup
	wg.Add(len(level))
	for _, rule := range level {
		go b.runRule(ctx, rule, failed, wg.Done)
	}
	wg.Wait()
	close(failed)
	return <-failed
}

func (b *Build) runRule(ctx context.Context, rule Rule, failed chan<- error, done func()) {
	defer done()
	outputs, err := rule.execute(ctx)
	if err != nil {
		failed <- err
		return
	}
	b.artifacts = append(b.artifacts, outputs...) //race:Build.artifacts
}
