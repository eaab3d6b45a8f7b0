import Link from 'next/link'
import { Card } from '@/components/app/card'
import { CardHead } from '@/components/app/card-head'
import button from '@/components/button.module.css'
import { paths } from '@/config/paths'
import { site } from '@/config/site'

/** The way to the Mac app while the product is in closed beta. */
export function BetaCard() {
  return (
    <Card aria-labelledby="beta">
      <CardHead
        id="beta"
        title="Closed beta"
        text={`See whether your place is ready, and download ${site.name} for Mac.`}
      >
        <Link
          href={paths.closedBeta}
          className={`${button.secondary} ${button.dense} ${button.fits}`}
        >
          Check your access
        </Link>
      </CardHead>
    </Card>
  )
}
