import { chakra, Flex } from '@chakra-ui/react'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { Key } from '@/components/app/tooltip'
import { Checkbox } from '../checkbox'

interface ShortcutDialogProps {
  open: boolean
  onClose: () => void
  on: boolean
  onChange: (on: boolean) => void
}

const keys = [
  { keys: ['/'], does: 'Search' },
  { keys: ['j'], does: 'Next ticket' },
  { keys: ['k'], does: 'Previous ticket' },
  { keys: ['o', 'Enter'], does: 'Open the ticket' },
  { keys: ['x'], does: 'Select the ticket' },
  { keys: ['Esc'], does: 'Close the ticket, or clear the selection' },
  { keys: ['?'], does: 'Show these shortcuts' },
]

/** The list of keys, and the switch that turns them off. */
export function ShortcutDialog({ open, onClose, on, onChange }: ShortcutDialogProps) {
  return (
    <Dialog open={open} title="Keyboard shortcuts" onClose={onClose}>
      <DialogBody>
        <chakra.dl borderTop="1px solid {colors.line}" fontSize="sm">
          {keys.map(({ keys: names, does }) => (
            <Flex
              key={does}
              align="center"
              justify="space-between"
              gap="4"
              py="2"
              borderBottom="1px solid {colors.line}"
            >
              <dt>{does}</dt>
              <Flex as="dd" wrap="wrap" justify="flex-end" gap="2">
                {names.map((name) => (
                  <Key key={name}>{name}</Key>
                ))}
              </Flex>
            </Flex>
          ))}
        </chakra.dl>
        <Flex align="center" gap="2" mt="4" fontSize="sm">
          <Checkbox
            id="ticket-shortcuts"
            checked={on}
            onChange={(event) => onChange(event.target.checked)}
          />
          <label htmlFor="ticket-shortcuts">
            Use single-key shortcuts when no text field is active
          </label>
        </Flex>
      </DialogBody>
    </Dialog>
  )
}
