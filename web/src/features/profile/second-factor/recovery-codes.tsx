import { useState } from 'react'
import confirm from '@/components/app/confirm-dialog.module.css'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { Button } from '@/components/button'
import { site } from '@/config/site'
import { saveFile } from '@/lib/api/download'
import { copyText } from '@/lib/copy'
import styles from './second-factor-card.module.css'

interface RecoveryCodesProps {
  codes: string[]
  onClose: () => void
}

/** The only time that recovery codes are shown. */
export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  const [said, setSaid] = useState('')
  const text = `${codes.join('\n')}\n`

  const copy = async () => {
    const copied = await copyText(text)
    setSaid(
      copied ? 'Copied.' : 'This browser does not let us copy. Select the codes, or download them.',
    )
  }

  const save = () => {
    const name = `${site.name.toLowerCase()}-recovery-codes.txt`
    saveFile({ name, content: new Blob([text], { type: 'text/plain' }) })
    setSaid(`Saved as ${name}.`)
  }

  return (
    <Dialog
      open
      insistent
      title="Your recovery codes"
      description="Each of them replaces your authenticator app once. They are not shown again, and older ones no longer work."
      onClose={onClose}
    >
      <DialogBody className={styles.form}>
        <ul role="list" aria-label="Recovery codes" translate="no" className={styles.codes}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <p role="status" className={styles.said}>
          {said || 'Keep them where your phone is not.'}
        </p>
        <div className={confirm.actions}>
          <Button variant="secondary" data-event="copy_recovery_codes" onClick={() => void copy()}>
            Copy
          </Button>
          <Button variant="secondary" data-event="download_recovery_codes" onClick={save}>
            Download
          </Button>
          <Button data-event="close_recovery_codes" onClick={onClose}>
            I have saved them
          </Button>
        </div>
      </DialogBody>
    </Dialog>
  )
}
