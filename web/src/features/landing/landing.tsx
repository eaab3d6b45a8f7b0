import { island } from '@/components/island'
import { SiteFooter } from '@/components/site-footer/site-footer'
import { Features } from './features/features'
import { FounderSupport } from './founder-support'
import { Header } from './header'
import { Hero } from './hero'
import { Join } from './join'
import { Stats } from './stats'

const LiveHeader = island('header', Header)

/** The landing page. */
export function Landing() {
  return (
    <>
      <LiveHeader />
      <main id="main">
        <Hero />
        <Stats />
        <Features />
        <FounderSupport />
        <Join />
      </main>
      <SiteFooter />
    </>
  )
}
