package plan

import (
	"errors"
	"fmt"
	"strings"
)

// Mode is which of Stripe's worlds the product lives in.
type Mode string

// The modes. Demo has no Stripe at all: nothing can be bought.
const (
	Demo Mode = "demo"
	Test Mode = "test"
	Live Mode = "live"
)

// Config has Stripe's ids of the plans, one set for each mode.
type Config struct {
	// PublishableKey chooses the mode by its prefix: pk_test_ or pk_live_. Empty
	// means demo.
	PublishableKey string `env:"STRIPE_PUBLISHABLE_KEY"`
	Test           Offers `envPrefix:"STRIPE_TEST_"`
	Live           Offers `envPrefix:"STRIPE_LIVE_"`
}

// Offers are where Stripe sells each plan. Enterprise is agreed on with sales and
// has none.
type Offers struct {
	Pro      Offer `envPrefix:"PRO_"`
	Business Offer `envPrefix:"BUSINESS_"`
	// Packs are credits that are sold beside a plan: prices of Stripe's that are paid once, each
	// with the credits that it gives, such as "price_1=20,price_2=50"; empty for none.
	Packs Packs `env:"PACKS"`
}

// Offer is a product of Stripe's and its price by the month. Both are empty for a plan that
// cannot be bought here.
type Offer struct {
	ProductID string `env:"PRODUCT_ID"`
	PriceID   string `env:"PRICE_ID"`
	// AnnualPriceID is of the price by the year; empty for none.
	AnnualPriceID string `env:"ANNUAL_PRICE_ID"`
}

// Mode returns the mode that the publishable key chooses.
func (c Config) Mode() Mode {
	switch {
	case strings.HasPrefix(c.PublishableKey, "pk_test_"):
		return Test
	case strings.HasPrefix(c.PublishableKey, "pk_live_"):
		return Live
	default:
		return Demo
	}
}

// Validate checks the key's form, and that each price and each product sells one plan.
func (c Config) Validate() error {
	var errs []error
	if c.PublishableKey != "" && c.Mode() == Demo {
		errs = append(errs, errors.New("STRIPE_PUBLISHABLE_KEY: begins with neither pk_test_ nor pk_live_"))
	}
	prices := map[string]string{}
	for set, offers := range map[string]Offers{"STRIPE_TEST_": c.Test, "STRIPE_LIVE_": c.Live} {
		for plan, offer := range map[string]Offer{"PRO_": offers.Pro, "BUSINESS_": offers.Business} {
			errs = append(errs, offer.validate(set+plan))
			for name, id := range map[string]string{"PRICE_ID": offer.PriceID, "ANNUAL_PRICE_ID": offer.AnnualPriceID} {
				if other, taken := prices[id]; taken && id != "" {
					errs = append(errs, fmt.Errorf("%s and %s are the same", other, set+plan+name))
				}
				prices[id] = set + plan + name
			}
		}
		if product := offers.Pro.ProductID; product != "" && product == offers.Business.ProductID {
			errs = append(errs, fmt.Errorf("%[1]sPRO_PRODUCT_ID and %[1]sBUSINESS_PRODUCT_ID are the same: an earlier price is known by its product", set))
		}
		for id := range offers.Packs {
			if other, taken := prices[id]; taken {
				errs = append(errs, fmt.Errorf("%s and a pack of %sPACKS are the same", other, set))
			}
		}
	}
	return errors.Join(errs...)
}

func (o Offer) validate(prefix string) error {
	switch {
	case o == Offer{}:
		return nil
	case !strings.HasPrefix(o.ProductID, "prod_"):
		return fmt.Errorf("%sPRODUCT_ID: a product's id begins with prod_", prefix)
	case !strings.HasPrefix(o.PriceID, "price_"):
		return fmt.Errorf("%sPRICE_ID: a price's id begins with price_", prefix)
	case o.AnnualPriceID != "" && !strings.HasPrefix(o.AnnualPriceID, "price_"):
		return fmt.Errorf("%sANNUAL_PRICE_ID: a price's id begins with price_", prefix)
	}
	return nil
}

// chosen is the set of the mode.
func (c Config) chosen() Offers {
	switch c.Mode() {
	case Test:
		return c.Test
	case Live:
		return c.Live
	}
	return Offers{}
}

// offers returns the chosen set by plan.
func (c Config) offers() map[string]Offer {
	set := c.chosen()
	return map[string]Offer{"pro": set.Pro, "business": set.Business}
}
