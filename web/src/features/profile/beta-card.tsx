import Link from 'next/link'
import { Card } from '@/components/app/card'
import { CardHead } from '@/components/app/card-head'
import { buttonClass } from '@/components/button'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { useGetWaitlistStatusQuery } from '@/lib/api/my-waitlist-api'

interface Words {
  text: string
  action: string
}

/** What is said before the state is known, or when it cannot be. */
const UNKNOWN: Words = {
  text: `See whether your place is ready, and download ${site.name} for Mac.`,
  action: 'Check your access',
}

function wordsOf(status: string | null | undefined): Words {
  switch (status) {
    case undefined:
      return UNKNOWN
    case null:
      return {
        text: `You're not on the waitlist yet. Join it to get ${site.name} for Mac.`,
        action: 'Join the waitlist',
      }
    case 'approved':
      return {
        text: `You're in: ${site.name} for Mac is ready for you.`,
        action: `Download ${site.name}`,
      }
    case 'pending':
      return {
        text: 'Your waitlist application is pending approval.',
        action: 'Check your access',
      }
    default:
      return { text: 'Your waitlist application is under review.', action: 'Check your access' }
  }
}

/** Where the person stands in the closed beta, and the way to the Mac app. */
export function BetaCard() {
  const { currentData } = useGetWaitlistStatusQuery(undefined, { refetchOnMountOrArgChange: true })
  const { text, action } = wordsOf(currentData)
  return (
    <Card aria-labelledby="beta">
      <CardHead id="beta" title="Closed beta" text={text}>
        <Link
          href={paths.closedBeta}
          className={buttonClass({ variant: 'secondary', size: 'dense' })}
          data-event="go_to_closed_beta"
        >
          {action}
        </Link>
      </CardHead>
    </Card>
  )
}
