import { isRelayAddress } from '@/lib/relay-address'
import { Address } from './address'
import styles from './display.module.css'
import { UseAnotherAddress } from './use-another-address'

interface OtherAddressProps {
  email: string
  /** Called before the person is signed out, to use another address. */
  onLeave: () => void
}

/** For whoever was invited at one address and signs in with another one: which it is, and the ways on. */
export function OtherAddress({ email, onLeave }: OtherAddressProps) {
  return (
    <section className={styles.other} aria-labelledby="other-address">
      <h2 id="other-address">Did we write to another address?</h2>
      <p>
        You are signed in as <Address email={email} />.{' '}
        {isRelayAddress(email)
          ? 'Apple hid your own address from us, so we cannot tell that it is you. If your invitation went to your own address, open the link in that email, or sign out and use the address we wrote to.'
          : 'Your invitation may have gone to another one. If so, open the link in that email, or sign out and use the address we wrote to.'}
      </p>
      <UseAnotherAddress onLeave={onLeave} />
    </section>
  )
}
