package service_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/service"
)

func TestBackgroundWorkEndsWhenItsUnitStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		starting, started := context.WithTimeout(context.WithValue(t.Context(), key{}, "kept"), time.Second)
		ended := make(chan any, 2)
		run := func(ctx context.Context) {
			<-ctx.Done()
			ended <- ctx.Value(key{})
		}
		stop, err := service.Background("two", run, run).Start(starting)
		errtest.None(t, err)
		started() // what a unit does outlives its start
		synctest.Wait()
		if len(ended) != 0 {
			t.Fatal("it ended with the context of its start")
		}
		errtest.None(t, stop(t.Context()))
		if len(ended) != 2 || <-ended != "kept" {
			t.Error("the unit has stopped before its work")
		}
	})
}

func TestWorkThatDoesNotEndIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		stop := service.Go(t.Context(), func(context.Context) { <-release })
		stopping, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := stop(stopping); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("stopped with %v", err)
		}
		close(release)
	})
}

func TestAPauseEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if !service.Pause(ctx, time.Second) {
			t.Error("it did not wait for its time")
		}
		if service.Pause(ctx, time.Hour) {
			t.Error("it waited for longer than its context")
		}
	})
}
