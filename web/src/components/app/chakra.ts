/** What every part needs of Chakra, as a module that can be asked for by itself. */
export { ChakraProvider } from '@chakra-ui/react'
