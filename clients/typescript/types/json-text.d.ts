/** A body that is JSON already. It is sent as it is written: parsing it would round long numbers, for example. */
export declare class JsonText {
    readonly text: string;
    constructor(text: string);
}
/** Writes the body of a call. */
export declare function serializeBody(body: unknown): string;
