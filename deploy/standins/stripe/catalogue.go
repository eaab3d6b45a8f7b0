package stripe

import "fledge.dev/deploy/standins/stripe/internal/account"

// Product and Price are rows of the catalogue, Endpoint is a webhook endpoint.
type (
	Product  = account.Product
	Price    = account.Price
	Endpoint = account.Endpoint
)

// The ids of what Catalogue sells.
const (
	ProProduct      = "prod_fledge_local_pro"
	ProPrice        = "price_fledge_local_pro"
	BusinessProduct = "prod_fledge_local_business"
	BusinessPrice   = "price_fledge_local_business"
	PackProduct     = "prod_fledge_local_pack"
	PackPrice       = "price_fledge_local_pack"
)

// PackCredits are what the local stack's pack gives.
const PackCredits = 20

// Catalogue is what the local stack sells: the plans of the product that have a
// price, in US dollars by the month, and a pack of credits that is paid once.
func Catalogue() ([]Product, []Price) {
	return []Product{
			{ID: ProProduct, Name: "Pro", Description: "50 credits a month"},
			{ID: BusinessProduct, Name: "Business", Description: "100 credits a month"},
			{ID: PackProduct, Name: "20 credits", Description: "Extra credits"},
		}, []Price{
			{ID: ProPrice, Product: ProProduct, Amount: 2500, Currency: "usd", Interval: "month"},
			{ID: BusinessPrice, Product: BusinessProduct, Amount: 5000, Currency: "usd", Interval: "month"},
			{ID: PackPrice, Product: PackProduct, Amount: 1200, Currency: "usd"},
		}
}

// The test cards that pages and controls take.
const (
	CardWorks      = account.CardWorks
	CardWorksToo   = account.CardWorksToo
	CardDeclined   = account.CardDeclined
	CardFailsLater = account.CardFailsLater
	CardAsks       = account.CardAsks
	Confirms       = account.Confirms // of a payment with CardAsks
	Declines       = account.Declines
	DebitWorks     = account.DebitWorks
	DebitFails     = account.DebitFails
)
