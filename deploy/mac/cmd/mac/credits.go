package main

import (
	"context"
	"flag"
	"time"

	"fledge.dev/deploy/mac"
)

func (t terminal) plan(ctx context.Context, args []string) error {
	if _, err := parse(args, 0, nothing); err != nil {
		return err
	}
	paid, err := t.client.Subscription(ctx)
	switch {
	case err != nil:
		return err
	case paid == nil:
		t.say("Free Plan")
		return nil
	}
	// Whatever is written by others is quoted: a terminal acts on some characters.
	t.say("%q plan, %q, %s credits per month%s", paid.Plan.Name, paid.Status, paid.Plan.MonthlyCredits, until(*paid))
	return nil
}

func until(paid mac.Subscription) string {
	const long = "January 2, 2006"
	day := paid.PeriodEnd.Local().Format(long)
	switch {
	case paid.PeriodEnd.IsZero():
		return ""
	case paid.Status == "active":
		return ", next billing date " + day
	case paid.Status == "cancelled":
		return ", active until " + day
	}
	return ""
}

func (t terminal) credits(ctx context.Context, args []string) error {
	if _, err := parse(args, 0, nothing); err != nil {
		return err
	}
	credits, err := t.client.Credits(ctx)
	if err != nil {
		return err
	}
	if credits == nil {
		credits = &mac.Credits{}
	}
	t.left("", *credits)
	return nil
}

func (t terminal) left(before string, credits mac.Credits) {
	t.say("%s%s of %s credits left, %s held.", before, credits.Balance, credits.Granted, credits.Held)
}

// amountAnd reads an amount and another word, in the order that first says.
func amountAnd(args []string, first bool) (amount mac.Amount, word string, err error) {
	words, err := parse(args, 2, nothing)
	if err != nil {
		return 0, "", err
	}
	number, word := words.Arg(0), words.Arg(1)
	if !first {
		number, word = word, number
	}
	amount, err = mac.ParseAmount(number)
	return amount, word, err
}

func (t terminal) spend(ctx context.Context, args []string) error {
	amount, description, err := amountAnd(args, true)
	if err != nil {
		return err
	}
	credits, err := t.client.Spend(ctx, amount, description)
	if err == nil {
		t.left("Spent "+amount.String()+": ", credits)
	}
	return err
}

func (t terminal) hold(ctx context.Context, args []string) error {
	amount, description, err := amountAnd(args, true)
	if err != nil {
		return err
	}
	hold, err := t.client.Hold(ctx, amount, description)
	if err == nil {
		t.say("Held %s until %s as %q.", amount, hold.ExpiresAt.Local().Format(time.TimeOnly), hold.ID)
	}
	return err
}

func (t terminal) settle(ctx context.Context, args []string) error {
	cost, hold, err := amountAnd(args, false)
	if err != nil {
		return err
	}
	credits, err := t.client.Settle(ctx, hold, cost)
	if err == nil {
		t.left("Settled at "+cost.String()+": ", credits)
	}
	return err
}

func (t terminal) upgrade(ctx context.Context, args []string) error {
	var printOnly bool
	if _, err := parse(args, 0, func(flags *flag.FlagSet) { flags.BoolVar(&printOnly, "print-url", false, "") }); err != nil {
		return err
	}
	t.open(ctx, t.client.UpgradePage(), !printOnly)
	return nil
}
