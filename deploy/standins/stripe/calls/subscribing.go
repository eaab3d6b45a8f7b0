package calls

import (
	"context"
	"time"

	stripe "github.com/stripe/stripe-go/v85"
)

func sessions() []Call {
	return []Call{
		ofBilling(one("open a checkout", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.CheckoutSession, error) {
			return sc.V1CheckoutSessions.Create(ctx, newCheckout(o, "plain"))
		})),
		ofBilling(one("open a checkout with all that the settings know", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.CheckoutSession, error) {
			params := newCheckout(o, "settings")
			params.AllowPromotionCodes = stripe.Bool(true)
			params.SubscriptionData.TrialPeriodDays = stripe.Int64(7)
			params.AutomaticTax = &stripe.CheckoutSessionCreateAutomaticTaxParams{Enabled: stripe.Bool(true)}
			params.TaxIDCollection = &stripe.CheckoutSessionCreateTaxIDCollectionParams{Enabled: stripe.Bool(true)}
			params.CustomerUpdate = &stripe.CheckoutSessionCreateCustomerUpdateParams{Address: stripe.String("auto"), Name: stripe.String("auto")}
			params.ConsentCollection = &stripe.CheckoutSessionCreateConsentCollectionParams{TermsOfService: stripe.String("required")}
			return sc.V1CheckoutSessions.Create(ctx, params)
		})),
		ofBilling(one("open a checkout for a pack", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.CheckoutSession, error) {
			params := newCheckout(o, "pack")
			params.Mode, params.SubscriptionData = stripe.String("payment"), nil
			params.LineItems[0].Price = stripe.String(o.Pack)
			params.Metadata["credits"] = "10000"
			params.InvoiceCreation = &stripe.CheckoutSessionCreateInvoiceCreationParams{
				Enabled: stripe.Bool(true),
				InvoiceData: &stripe.CheckoutSessionCreateInvoiceCreationInvoiceDataParams{
					Metadata: map[string]string{"user_id": "5c3ff0f8", "purchase": "0c4f", "credits": "10000"},
				},
			}
			return sc.V1CheckoutSessions.Create(ctx, params)
		})),
		ofBilling(one("read a checkout", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.CheckoutSession, error) {
			return sc.V1CheckoutSessions.Retrieve(ctx, o.Checkout, &stripe.CheckoutSessionRetrieveParams{Expand: stripe.StringSlice([]string{"payment_intent", "invoice", "line_items"})})
		})),
		ofBilling(many("list a customer's checkouts", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.CheckoutSession, error] {
			return sc.V1CheckoutSessions.List(ctx, &stripe.CheckoutSessionListParams{
				Customer: stripe.String(o.Customer), ListParams: stripe.ListParams{Limit: stripe.Int64(100)},
			}).All(ctx)
		})),
		ofBilling(many("list a customer's checkouts that are open", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.CheckoutSession, error] {
			return sc.V1CheckoutSessions.List(ctx, &stripe.CheckoutSessionListParams{
				Customer: stripe.String(o.Customer), Status: stripe.String("open"), ListParams: stripe.ListParams{Limit: stripe.Int64(100)},
			}).All(ctx)
		})),
		ofBilling(many("list the checkout of a payment", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.CheckoutSession, error] {
			params := &stripe.CheckoutSessionListParams{PaymentIntent: stripe.String(o.PackIntent), ListParams: stripe.ListParams{Limit: stripe.Int64(1)}}
			params.AddExpand("data.payment_intent")
			return sc.V1CheckoutSessions.List(ctx, params).All(ctx)
		})),
		ofBilling(many("list checkouts that are complete", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.CheckoutSession, error] {
			return sc.V1CheckoutSessions.List(ctx, &stripe.CheckoutSessionListParams{
				Status: stripe.String("complete"), CreatedRange: &stripe.RangeQueryParams{GreaterThanOrEqual: 1},
				ListParams: stripe.ListParams{Limit: stripe.Int64(100)},
			}).All(ctx)
		})),
		ofBilling(one("close a checkout", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.CheckoutSession, error) {
			return sc.V1CheckoutSessions.Expire(ctx, o.OpenCheckout, nil)
		})),
		ofBilling(one("make a configuration of the portal", createPortal)),
		ofBilling(one("make a configuration of the portal for trials and years", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.BillingPortalConfiguration, error) {
			params := portalParams(o)
			update := params.Features.SubscriptionUpdate
			update.TrialUpdateBehavior = stripe.String("continue_trial")
			update.ScheduleAtPeriodEnd.Conditions = append(update.ScheduleAtPeriodEnd.Conditions,
				&stripe.BillingPortalConfigurationCreateFeaturesSubscriptionUpdateScheduleAtPeriodEndConditionParams{Type: stripe.String("shortening_interval")})
			return sc.V1BillingPortalConfigurations.Create(ctx, params)
		})),
		ofBilling(many("list the portal's configurations", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.BillingPortalConfiguration, error] {
			if _, err := createPortal(ctx, sc, o); err != nil { // there is none before
				return func(yield func(*stripe.BillingPortalConfiguration, error) bool) { yield(nil, err) }
			}
			return sc.V1BillingPortalConfigurations.List(ctx, &stripe.BillingPortalConfigurationListParams{
				ListParams: stripe.ListParams{Limit: stripe.Int64(100)}, Expand: stripe.StringSlice([]string{"data.features.subscription_update.products"}),
			}).All(ctx)
		})),
		ofBilling(one("open the portal", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.BillingPortalSession, error) {
			configuration, err := createPortal(ctx, sc, o)
			if err != nil {
				return nil, err
			}
			return sc.V1BillingPortalSessions.Create(ctx, &stripe.BillingPortalSessionCreateParams{
				Configuration: stripe.String(configuration.ID), Customer: stripe.String(o.Customer), ReturnURL: stripe.String("http://localhost:8080/profile"),
			})
		})),
		ofBilling(one("open the portal to confirm another plan", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.BillingPortalSession, error) {
			configuration, err := createPortal(ctx, sc, o)
			if err != nil {
				return nil, err
			}
			return sc.V1BillingPortalSessions.Create(ctx, &stripe.BillingPortalSessionCreateParams{
				Configuration: stripe.String(configuration.ID), Customer: stripe.String(o.Customer), ReturnURL: stripe.String("http://localhost:8080/profile"),
				FlowData: &stripe.BillingPortalSessionCreateFlowDataParams{
					Type: stripe.String("subscription_update_confirm"),
					SubscriptionUpdateConfirm: &stripe.BillingPortalSessionCreateFlowDataSubscriptionUpdateConfirmParams{
						Subscription: stripe.String(o.Subscription),
						Items: []*stripe.BillingPortalSessionCreateFlowDataSubscriptionUpdateConfirmItemParams{{
							ID: stripe.String(o.Item), Price: stripe.String(o.Dearer), Quantity: stripe.Int64(1),
						}},
					},
					AfterCompletion: &stripe.BillingPortalSessionCreateFlowDataAfterCompletionParams{
						Type: stripe.String("redirect"),
						Redirect: &stripe.BillingPortalSessionCreateFlowDataAfterCompletionRedirectParams{
							ReturnURL: stripe.String("http://localhost:8080/profile?success=true"),
						},
					},
				},
			})
		})),
		one("open the portal to change the card", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.BillingPortalSession, error) {
			return sc.V1BillingPortalSessions.Create(ctx, &stripe.BillingPortalSessionCreateParams{
				Customer: stripe.String(o.Customer),
				FlowData: &stripe.BillingPortalSessionCreateFlowDataParams{Type: stripe.String("payment_method_update")},
			})
		}),
		one("open the portal to cancel", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.BillingPortalSession, error) {
			return sc.V1BillingPortalSessions.Create(ctx, &stripe.BillingPortalSessionCreateParams{
				Customer: stripe.String(o.Customer),
				FlowData: &stripe.BillingPortalSessionCreateFlowDataParams{
					Type: stripe.String("subscription_cancel"),
					SubscriptionCancel: &stripe.BillingPortalSessionCreateFlowDataSubscriptionCancelParams{
						Subscription: stripe.String(o.Subscription),
					},
				},
			})
		}),
	}
}

func newCheckout(o Objects, key string) *stripe.CheckoutSessionCreateParams {
	params := &stripe.CheckoutSessionCreateParams{
		Mode: stripe.String("subscription"), Customer: stripe.String(o.Customer), Currency: stripe.String("usd"),
		ClientReferenceID: stripe.String("5c3ff0f8"),
		LineItems:         []*stripe.CheckoutSessionCreateLineItemParams{{Price: stripe.String(o.Price), Quantity: stripe.Int64(1)}},
		SuccessURL:        stripe.String("http://localhost:8080/profile?success=true&session={CHECKOUT_SESSION_ID}"),
		CancelURL:         stripe.String("http://localhost:8080/profile?canceled=true"),
		Metadata:          map[string]string{"user_id": "5c3ff0f8", "purchase": "0c4f"},
		SubscriptionData: &stripe.CheckoutSessionCreateSubscriptionDataParams{
			Metadata: map[string]string{"user_id": "5c3ff0f8"},
		},
	}
	params.SetIdempotencyKey("checkout-" + o.Customer + "-" + key)
	return params
}

func subscriptions() []Call {
	update := func(name string, params func(Objects) *stripe.SubscriptionUpdateParams) Call {
		return one(name, func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Subscription, error) {
			return sc.V1Subscriptions.Update(ctx, o.Subscription, params(o))
		})
	}
	return []Call{
		ofBilling(one("read a subscription", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Subscription, error) {
			return sc.V1Subscriptions.Retrieve(ctx, o.Subscription, &stripe.SubscriptionRetrieveParams{
				Expand: stripe.StringSlice([]string{"schedule.phases.items.price"}),
			})
		})),
		one("read a subscription with its latest invoice", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Subscription, error) {
			return sc.V1Subscriptions.Retrieve(ctx, o.Subscription, &stripe.SubscriptionRetrieveParams{
				Expand: stripe.StringSlice([]string{"latest_invoice", "items.data.price.product", "default_payment_method"}),
			})
		}),
		ofBilling(many("list a customer's subscriptions", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.Subscription, error] {
			return sc.V1Subscriptions.List(ctx, &stripe.SubscriptionListParams{
				Customer: stripe.String(o.Customer), Status: stripe.String("all"), ListParams: stripe.ListParams{Limit: stripe.Int64(100)},
				Expand: stripe.StringSlice([]string{"data.schedule", "data.latest_invoice"}),
			}).All(ctx)
		})),
		ofBilling(many("list all subscriptions", func(ctx context.Context, sc *stripe.Client, _ Objects) stripe.Seq2[*stripe.Subscription, error] {
			return sc.V1Subscriptions.List(ctx, &stripe.SubscriptionListParams{
				Status: stripe.String("all"), ListParams: stripe.ListParams{Limit: stripe.Int64(100)},
				Expand: stripe.StringSlice([]string{"data.schedule"}),
			}).All(ctx)
		})),
		many("list the subscriptions made since a moment", func(ctx context.Context, sc *stripe.Client, _ Objects) stripe.Seq2[*stripe.Subscription, error] {
			return sc.V1Subscriptions.List(ctx, &stripe.SubscriptionListParams{
				Status: stripe.String("all"), CreatedRange: &stripe.RangeQueryParams{GreaterThanOrEqual: 1},
				Expand: stripe.StringSlice([]string{"data.latest_invoice"}),
			}).All(ctx)
		}),
		update("change the plan at once", func(o Objects) *stripe.SubscriptionUpdateParams {
			return &stripe.SubscriptionUpdateParams{
				Items:             []*stripe.SubscriptionUpdateItemParams{{ID: stripe.String(o.Item), Price: stripe.String(o.Dearer)}},
				ProrationBehavior: stripe.String("always_invoice"), PaymentBehavior: stripe.String("error_if_incomplete"),
			}
		}),
		update("reset the cycle", func(Objects) *stripe.SubscriptionUpdateParams {
			return &stripe.SubscriptionUpdateParams{BillingCycleAnchorNow: stripe.Bool(true)}
		}),
		ofBilling(update("stop a renewal", func(Objects) *stripe.SubscriptionUpdateParams {
			return &stripe.SubscriptionUpdateParams{CancelAtPeriodEnd: stripe.Bool(true), Metadata: map[string]string{"renewal_stopped": "account_disabled"}}
		})),
		ofBilling(one("release a schedule", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.SubscriptionSchedule, error) {
			return sc.V1SubscriptionSchedules.Release(ctx, o.Schedule, nil)
		})),
		ofBilling(update("resume a renewal", func(Objects) *stripe.SubscriptionUpdateParams {
			return &stripe.SubscriptionUpdateParams{CancelAtPeriodEnd: stripe.Bool(false), Metadata: map[string]string{"renewal_stopped": ""}}
		})),
		ofBilling(update("resume a renewal until a date", func(Objects) *stripe.SubscriptionUpdateParams {
			return &stripe.SubscriptionUpdateParams{CancelAt: stripe.Int64(time.Now().AddDate(1, 0, 0).Unix()), Metadata: map[string]string{"renewal_stopped": ""}}
		})),
		update("cancel with the period", func(Objects) *stripe.SubscriptionUpdateParams {
			return &stripe.SubscriptionUpdateParams{CancelAtPeriodEnd: stripe.Bool(true)}
		}),
		update("cancel with the shortest period", func(Objects) *stripe.SubscriptionUpdateParams {
			return &stripe.SubscriptionUpdateParams{CancelAtMinPeriodEnd: stripe.Bool(true)}
		}),
		ofBilling(update("take a flagged cancellation back", func(Objects) *stripe.SubscriptionUpdateParams {
			return &stripe.SubscriptionUpdateParams{CancelAtPeriodEnd: stripe.Bool(false)}
		})),
		ofBilling(update("take a dated cancellation back", func(Objects) *stripe.SubscriptionUpdateParams {
			params := &stripe.SubscriptionUpdateParams{}
			params.AddUnsetField(stripe.SubscriptionUpdateParamsUnsetFieldCancelAt)
			return params
		})),
		ofBilling(one("cancel now", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Subscription, error) {
			return sc.V1Subscriptions.Cancel(ctx, o.Subscription, nil)
		})),
	}
}

// createPortal makes the configuration that the portal's pages are opened with.
func createPortal(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.BillingPortalConfiguration, error) {
	params := portalParams(o)
	params.SetIdempotencyKey("portal-" + o.Customer)
	return sc.V1BillingPortalConfigurations.Create(ctx, params)
}

func portalParams(o Objects) *stripe.BillingPortalConfigurationCreateParams {
	return &stripe.BillingPortalConfigurationCreateParams{
		Expand:           stripe.StringSlice([]string{"features.subscription_update.products"}),
		DefaultReturnURL: stripe.String("http://localhost:8080/profile"), Metadata: map[string]string{"fledge_settings": "0c4f"},
		LoginPage: &stripe.BillingPortalConfigurationCreateLoginPageParams{Enabled: stripe.Bool(true)},
		Features: &stripe.BillingPortalConfigurationCreateFeaturesParams{
			CustomerUpdate: &stripe.BillingPortalConfigurationCreateFeaturesCustomerUpdateParams{
				Enabled: stripe.Bool(true), AllowedUpdates: stripe.StringSlice([]string{"name", "address", "tax_id"}),
			},
			InvoiceHistory:      &stripe.BillingPortalConfigurationCreateFeaturesInvoiceHistoryParams{Enabled: stripe.Bool(true)},
			PaymentMethodUpdate: &stripe.BillingPortalConfigurationCreateFeaturesPaymentMethodUpdateParams{Enabled: stripe.Bool(true)},
			SubscriptionCancel: &stripe.BillingPortalConfigurationCreateFeaturesSubscriptionCancelParams{
				Enabled: stripe.Bool(true), Mode: stripe.String("at_period_end"),
			},
			SubscriptionUpdate: &stripe.BillingPortalConfigurationCreateFeaturesSubscriptionUpdateParams{
				Enabled: stripe.Bool(true), DefaultAllowedUpdates: stripe.StringSlice([]string{"price"}), ProrationBehavior: stripe.String("always_invoice"),
				Products: []*stripe.BillingPortalConfigurationCreateFeaturesSubscriptionUpdateProductParams{
					{Product: stripe.String(o.Product), Prices: stripe.StringSlice([]string{o.Price})},
				},
				ScheduleAtPeriodEnd: &stripe.BillingPortalConfigurationCreateFeaturesSubscriptionUpdateScheduleAtPeriodEndParams{
					Conditions: []*stripe.BillingPortalConfigurationCreateFeaturesSubscriptionUpdateScheduleAtPeriodEndConditionParams{
						{Type: stripe.String("decreasing_item_amount")}, {Type: stripe.String("shortening_interval")},
					},
				},
			},
		},
	}
}
