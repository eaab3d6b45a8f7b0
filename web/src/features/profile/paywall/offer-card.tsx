import { chakra, Flex, Heading, Text } from '@chakra-ui/react'
import { StatusBadge } from '@/components/app/status-badge'
import { Button, buttonClass } from '@/components/button'
import { site } from '@/config/site'
import type { Plan } from '@/lib/api/types'
import { FeatureList } from './feature-list'
import type { Offer } from './offer'

interface OfferCardProps {
  plan: Plan
  offer: Offer
  /** The id of the plan whose checkout is being started. */
  starting: string | null
  onBuy: () => void
}

/** One plan: what it costs, what it gives, and the way to it. */
export function OfferCard({ plan, offer, starting, onBuy }: OfferCardProps) {
  const id = `plan-${plan.id}`
  return (
    <Frame aria-labelledby={id} data-current={offer.current || undefined}>
      <Flex wrap="wrap" align="baseline" justify="space-between" gap="2">
        <Heading as="h3" id={id} fontSize="lg">
          {plan.name}
        </Heading>
        {offer.badge && <StatusBadge tone={offer.badge.tone}>{offer.badge.text}</StatusBadge>}
      </Flex>
      <Text mt="1" color="muted" fontSize="sm">
        {plan.description}
      </Text>
      <Flex wrap="wrap" align="baseline" alignSelf="end" columnGap="2" mt="5">
        <chakra.span
          fontSize={offer.period ? '3xl' : 'xl'}
          fontWeight={650}
          lineHeight={1.1}
          letterSpacing="var(--tracking-display)"
        >
          {offer.price}
        </chakra.span>
        <chakra.span color="quiet" fontSize="sm">
          {offer.period}
        </chakra.span>
      </Flex>
      <Text mt="2" mb="5" fontWeight={600} fontSize="sm">
        {offer.credits}
      </Text>
      <Flex direction="column">
        <Action plan={plan} offer={offer} starting={starting} onBuy={onBuy} />
      </Flex>
      <FeatureList features={plan.features} />
    </Frame>
  )
}

function Action({ plan, offer: { action }, starting, onBuy }: OfferCardProps) {
  if (action.kind === 'current') {
    return (
      <Button variant="secondary" disabled data-event="current_plan">
        Current Plan
      </Button>
    )
  }
  if (action.kind === 'contact') {
    const subject = encodeURIComponent(`${site.name} ${plan.name}`)
    return (
      <a
        href={`mailto:${site.emails.sales}?subject=${subject}`}
        className={buttonClass({ variant: 'secondary' })}
        data-event="book_demo"
      >
        Book a demo
      </a>
    )
  }
  const note = `plan-${plan.id}-note`
  return (
    <>
      <Button
        disabled={!action.possible}
        aria-describedby={action.note ? note : undefined}
        pending={starting === plan.id}
        aria-disabled={starting !== null}
        data-event="start_checkout"
        onClick={onBuy}
      >
        {starting === plan.id ? 'Processing...' : action.label}
      </Button>
      {action.note && (
        <Text id={note} mt="2" color="quiet" fontSize="xs" textAlign="center">
          {action.note}
        </Text>
      )}
    </>
  )
}

const Frame = chakra('li', {
  base: {
    px: { base: 'min({spacing.5}, 6vw)', lg: '6' },
    py: { base: '5', lg: '6' },
    bg: 'raised',
    border: '1px solid {colors.line}',
    borderRadius: 'lg',
    '&[data-current]': {
      bg: 'paper',
      borderColor: 'ink',
      boxShadow: 'inset 0 0 0 1px {colors.ink}',
    },
  },
})
