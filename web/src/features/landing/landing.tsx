import { SiteFooter } from '@/components/site-footer/site-footer'
import { Features } from './features/features'
import { FounderSupport } from './founder-support'
import { Header } from './header'
import { Hero } from './hero'
import { Join } from './join'
import { Stats } from './stats'

/** The landing page. */
export function Landing() {
  return (
    <>
      <Header />
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
